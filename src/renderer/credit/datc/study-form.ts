/** What a study of single steps is asked for, as the form holds it, and the request that it stands for. */
import { fewestBatches, studySettings } from '../../../shared/datc-study.ts'
import type { JobRequest } from '../../../shared/ipc.ts'
import { type FieldText, fieldTexts } from '../../wizard/fields/field-texts.ts'
import { changesFrom, type PresetName, presetSettings, type Settings } from '../../wizard/fields/setting-keys.ts'
import { problemOf } from '../../wizard/parse-value.ts'

export type StudyKey = (typeof studySettings)[number]

export interface StudyForm {
  /** Folder; empty: as the caller knows it. */
  readonly model: string
  readonly data: string
  readonly initAdapter: string
  readonly rewardAdapter: string
  readonly preset: PresetName
  readonly batches: number
  /** By name, as they are to be; those of the preset elsewhere. */
  readonly values: Settings
}

/** Shown at once; the others stand below, closed. */
export const firstKeys: readonly StudyKey[] = studySettings.slice(0, 5)
export const furtherKeys: readonly StudyKey[] = studySettings.slice(5)

/** What a setting of a trainer means where there is one step and no run. */
const ownTexts: Readonly<Partial<Record<StudyKey, Partial<FieldText>>>> = {
  prompts_per_rollout: { name: 'Prompts a batch', sentence: 'Drawn in a new order each time all have been used.' },
  learning_rate: { unit: 'a step', sentence: 'Of the one AdamW step that is taken on each gradient.' },
  seed: { sentence: 'Decides the order of the prompts and every sampled token.' },
  truncation_penalty: { sentence: 'Added to the score of a response that was cut at the token limit.' },
  kl_coefficient: {
    unit: 'per nat',
    sentence: 'Of the k3 term against the policy itself: at one step from it, it pulls nowhere.',
  },
  max_weight: { sentence: 'Weights of tokens lie in [1/λ, λ] and have mean 1 over a response.' },
  ablation: { sentence: 'Control of the weights, by leaving the angle out or putting them at other tokens.' },
}

export const studyText = (key: StudyKey): FieldText => ({ ...fieldTexts[key], ...ownTexts[key] })

export const usualSettings = (preset: PresetName): Settings => presetSettings('group', preset)

/** What stands in a field. */
export const fieldValue = ({ preset, values }: StudyForm, key: StudyKey) =>
  values[key] ?? usualSettings(preset)[key] ?? ''

/** Why it cannot start, or null; what the fields themselves say is the workbench's to refuse. */
export function missingFrom(form: StudyForm): string | null {
  if (form.data.trim() === '') return 'a file of prompts'
  if (form.initAdapter.trim() === '') return 'the adapter of a policy'
  if (form.rewardAdapter.trim() === '') return 'the adapter of a reward model'
  if (!Number.isInteger(form.batches) || form.batches < fewestBatches) return `at least ${fewestBatches} batches`
  const wrong = studySettings.find((key) => problemOf(key, fieldValue(form, key)) !== null)
  return wrong === undefined ? null : `a number as ${studyText(wrong).name}`
}

/** @param model the folder where the form names none */
export function studyRequest(form: StudyForm, model: string): Extract<JobRequest, { kind: 'credit-datc-study' }> {
  const usual = usualSettings(form.preset)
  const changes = changesFrom(usual, { ...usual, ...form.values })
  return {
    kind: 'credit-datc-study',
    model: form.model.trim() || model,
    data: form.data.trim(),
    init_adapter: form.initAdapter.trim(),
    reward_adapter: form.rewardAdapter.trim(),
    preset: form.preset,
    ...(Object.keys(changes).length === 0 ? {} : { settings: { ...changes } }),
    batches: form.batches,
  }
}
