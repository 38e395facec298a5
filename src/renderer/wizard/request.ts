/** A wizard's draft as the request it stands for, or what is still missing from it. */

import { defaultDeskRules } from '../../shared/desk-rules.ts'
import type { LearningRequest } from '../../shared/ipc.ts'
import { rulesFrom } from '../credit/desk/rule-texts.ts'
import { atDesk, type Draft, isRowStage, type StageWizard } from './draft.ts'

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
        stage: wizard === 'group' ? draft.method : wizard,
        model: draft.model || embeddedModel,
        data: draft.data,
        out: draft.out,
        ...given('validation', samples(wizard) ? '' : draft.validation),
        ...given('init_adapter', draft.initAdapter),
        ...given('reward_adapter', samples(wizard) ? draft.rewardAdapter : ''),
        ...(atDesk(wizard, draft) ? deskPart(draft) : {}),
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

function deskPart({ rules }: Draft) {
  const changed = rulesFrom(defaultDeskRules, rules)
  return { environment: 'desk' as const, ...(Object.keys(changed).length === 0 ? {} : { rules: changed }) }
}

const scoreWeight = ({ rules }: Draft): number => rules.reward_model_weight ?? defaultDeskRules.reward_model_weight

function missingFrom(wizard: StageWizard, draft: Draft, embeddedModel: string): readonly Missing[] {
  if (draft.target === 'resume') return draft.study === '' ? [{ what: 'a study to go on with' }] : []
  if (draft.target === 'study') {
    return draft.model === '' && embeddedModel === '' ? [{ what: 'a model' }] : []
  }
  const missing: Missing[] = []
  if (draft.model === '' && embeddedModel === '') missing.push({ what: 'a model' })
  if (draft.data === '')
    missing.push({ what: atDesk(wizard, draft) ? 'a file of tasks' : (rowsNeeded[wizard] ?? 'rows') })
  if (samples(wizard)) {
    if (draft.initAdapter === '') missing.push({ what: 'the adapter that SFT made', madeBy: 'sft' })
    const judged =
      atDesk(wizard, draft) && !(wizard === 'group' && readsReward.has(draft.method)) && scoreWeight(draft) === 0
    if (draft.rewardAdapter === '' && !judged) missing.push({ what: 'the adapter of a reward model', madeBy: 'reward' })
  }
  if (draft.out === '') missing.push({ what: 'a folder for the result' })
  return missing
}

/** Stages that sample, so that they need a policy to start from and something that judges. */
export const samples = (wizard: StageWizard): boolean => wizard === 'ppo' || wizard === 'group'

/** Credit read from a reward model; the others learn from the desk's own rewards too. */
const readsReward: ReadonlySet<string> = new Set(['datc', 'red', 'p2t'])

export const rowsNeeded: Readonly<Partial<Record<StageWizard, string>>> = {
  sft: 'a file of demonstrations',
  reward: 'a file of preference pairs',
  ppo: 'a file of prompts',
  group: 'a file of prompts or tasks',
  dpo: 'a file of preference pairs',
}
