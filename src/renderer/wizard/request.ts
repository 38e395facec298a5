/** A wizard's draft as the request it stands for, or what is still missing from it. */
import type { LearningRequest } from '../../shared/ipc.ts'
import { type Draft, isRowStage, type StageWizard } from './draft.ts'

export interface Missing {
  readonly what: string
  /** Wizard that makes it, where one does. */
  readonly madeBy?: StageWizard
}

export type Wanted =
  | { readonly request: LearningRequest; readonly missing: readonly [] }
  | { readonly request: null; readonly missing: readonly Missing[] }

export function wanted(wizard: StageWizard, draft: Draft, embeddedModel: string): Wanted {
  const missing = missingFrom(wizard, draft, embeddedModel)
  if (missing.length > 0) return { request: null, missing }
  const compute = {
    ...(draft.device === '' ? {} : { device: draft.device }),
    ...(draft.threads === 0 ? {} : { threads: draft.threads }),
  }
  const settings = Object.keys(draft.changes).length === 0 ? {} : { settings: { ...draft.changes } }
  if (draft.target === 'resume') return { request: { kind: 'resume', study_id: draft.study }, missing: [] }
  if (draft.target === 'rows' && isRowStage(wizard)) {
    return {
      request: {
        kind: 'train',
        stage: wizard,
        model: draft.model || embeddedModel,
        data: draft.data,
        out: draft.out,
        ...given('validation', wizard === 'ppo' ? '' : draft.validation),
        ...given('init_adapter', draft.initAdapter),
        ...given('reward_adapter', wizard === 'ppo' ? draft.rewardAdapter : ''),
        ...settings,
        ...compute,
      },
      missing: [],
    }
  }
  return {
    request: {
      kind: 'study',
      preset: draft.preset,
      // The minimum preset has no model of its own.
      ...given('model', draft.model || (draft.preset === 'minimum' ? embeddedModel : '')),
      ...given('name', draft.name.trim()),
      ...(draft.verifyResume ? { verify_resume: true } : {}),
      ...settings,
      ...compute,
    },
    missing: [],
  }
}

const given = <Name extends string>(name: Name, value: string): { [K in Name]?: string } =>
  value === '' ? {} : ({ [name]: value } as { [K in Name]: string })

function missingFrom(wizard: StageWizard, draft: Draft, embeddedModel: string): readonly Missing[] {
  if (draft.target === 'resume') return draft.study === '' ? [{ what: 'a study to go on with' }] : []
  if (draft.target === 'study') {
    return draft.model === '' && embeddedModel === '' ? [{ what: 'a model' }] : []
  }
  const missing: Missing[] = []
  if (draft.model === '' && embeddedModel === '') missing.push({ what: 'a model' })
  if (draft.data === '') missing.push({ what: rowsNeeded[wizard] ?? 'rows' })
  if (wizard === 'ppo') {
    if (draft.initAdapter === '') missing.push({ what: 'the adapter that SFT made', madeBy: 'sft' })
    if (draft.rewardAdapter === '') missing.push({ what: 'the adapter of a reward model', madeBy: 'reward' })
  }
  if (draft.out === '') missing.push({ what: 'a folder for the result' })
  return missing
}

export const rowsNeeded: Readonly<Partial<Record<StageWizard, string>>> = {
  sft: 'a file of demonstrations',
  reward: 'a file of preference pairs',
  ppo: 'a file of prompts',
}
