/** The settings of each thing a wizard can start: its keys, their defaults, and the reference study's values. */
import {
  dpoConfigSchema,
  dpoDefaults,
  embeddedPreset,
  groupConfigSchema,
  minimumPreset,
  ppoConfigSchema,
  type StudyConfig,
  studyConfigSchema,
  trainingConfigSchema,
} from '../../../shared/training-config.ts'
import type { SettingKey } from './field-texts.ts'

export type SettingsOf = 'study' | 'sft' | 'reward' | 'ppo' | 'group' | 'dpo'
export type PresetName = 'embedded' | 'minimum'
export type SettingValue = number | string
export type Settings = Readonly<Partial<Record<SettingKey, SettingValue>>>

const keysOf = (shape: object) => Object.keys(shape) as SettingKey[]

export const settingKeys: Readonly<Record<SettingsOf, readonly SettingKey[]>> = {
  study: keysOf(studyConfigSchema.shape),
  sft: keysOf(trainingConfigSchema.shape),
  reward: keysOf(trainingConfigSchema.shape),
  ppo: keysOf(ppoConfigSchema.shape),
  group: keysOf(groupConfigSchema.shape),
  dpo: keysOf(dpoConfigSchema.shape),
}

/** Settings that a configuration may leave out, as what leaving them out means. */
const unsaid: Settings = { audit_every: 0 }

/** What the workbench takes where nothing is given: the preset's, or for rows of one's own the reference study's. */
export function defaultSettings(of: SettingsOf, preset: PresetName): Settings {
  if (of !== 'study') return referenceSettings(of)
  return { ...unsaid, ...((preset === 'embedded' ? embeddedPreset : minimumPreset) as Settings) }
}

/** The settings of the reference study, meant for a real Qwen2.5-0.5B-Instruct. */
export const referenceSettings = (of: SettingsOf): Settings => presetSettings(of, 'minimum')

/** What a stage's settings are by a preset of the study. */
export function presetSettings(of: SettingsOf, name: PresetName): Settings {
  const preset = name === 'embedded' ? embeddedPreset : minimumPreset
  const reference: Partial<Record<SettingKey, SettingValue>> = {}
  for (const key of settingKeys[of]) {
    const value = ownSettings(of, preset)[key] ?? preset[sourceOf(of, key) as keyof StudyConfig] ?? unsaid[key]
    if (value !== undefined) reference[key] = value
  }
  return reference
}

/** Whether the reference study has such a setting at all. */
export const inReferenceStudy = (of: SettingsOf, key: SettingKey): boolean =>
  ownSettings(of, minimumPreset)[key] === undefined

/** What a stage has that the reference study has not. */
function ownSettings(of: SettingsOf, preset: StudyConfig): Settings {
  if (of === 'dpo') return dpoDefaults(preset)
  return of === 'group' ? ownOfGroups : {}
}

const ownOfGroups: Settings = {
  group_size: 8,
  epochs_per_rollout: 1,
  max_weight: 4,
  ablation: 'none',
  gate: 'attention',
  gate_min: 0.8,
  gate_max: 1,
  critic_learning_rate: minimumPreset.ppo_critic_lr,
}

/** Which of the study's settings a stage's is; a policy that learns from its own rollouts has PPO's rate. */
function sourceOf(of: SettingsOf, key: SettingKey): string {
  if (of === 'study' || of === 'ppo') return key
  if (key === 'learning_rate') return of === 'group' ? 'ppo_actor_lr' : `${of}_learning_rate`
  return key === 'epochs' ? `${of}_epochs` : key
}

/** The settings that differ from their default: all that a request has to say. */
export function changesFrom(defaults: Settings, values: Settings): Settings {
  const changed: Partial<Record<SettingKey, SettingValue>> = {}
  for (const [key, value] of Object.entries(values) as [SettingKey, SettingValue][]) {
    if (value !== defaults[key]) changed[key] = value
  }
  return changed
}
