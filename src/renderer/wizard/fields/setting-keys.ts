/** The settings of each thing a wizard can start: its keys, their defaults, and the reference study's values. */
import {
  embeddedPreset,
  minimumPreset,
  ppoConfigSchema,
  type StudyConfig,
  studyConfigSchema,
  trainingConfigSchema,
} from '../../../shared/training-config.ts'
import type { SettingKey } from './field-texts.ts'

export type SettingsOf = 'study' | 'sft' | 'reward' | 'ppo'
export type PresetName = 'embedded' | 'minimum'
export type SettingValue = number | string
export type Settings = Readonly<Partial<Record<SettingKey, SettingValue>>>

const keysOf = (shape: object) => Object.keys(shape) as SettingKey[]

export const settingKeys: Readonly<Record<SettingsOf, readonly SettingKey[]>> = {
  study: keysOf(studyConfigSchema.shape),
  sft: keysOf(trainingConfigSchema.shape),
  reward: keysOf(trainingConfigSchema.shape),
  ppo: keysOf(ppoConfigSchema.shape),
}

/** Settings that a configuration may leave out, as what leaving them out means. */
const unsaid: Settings = { audit_every: 0 }

/** What the workbench takes where nothing is given: the preset's, or for rows of one's own the reference study's. */
export function defaultSettings(of: SettingsOf, preset: PresetName): Settings {
  if (of !== 'study') return referenceSettings(of)
  return { ...unsaid, ...((preset === 'embedded' ? embeddedPreset : minimumPreset) as Settings) }
}

/** The settings of the reference study, meant for a real Qwen2.5-0.5B-Instruct. */
export function referenceSettings(of: SettingsOf): Settings {
  const reference: Partial<Record<SettingKey, SettingValue>> = {}
  for (const key of settingKeys[of]) {
    const source =
      of === 'study' || of === 'ppo' ? key : key === 'epochs' || key === 'learning_rate' ? `${of}_${key}` : key
    const value = minimumPreset[source as keyof StudyConfig] ?? unsaid[key]
    if (value !== undefined) reference[key] = value
  }
  return reference
}

/** The settings that differ from their default: all that a request has to say. */
export function changesFrom(defaults: Settings, values: Settings): Settings {
  const changed: Partial<Record<SettingKey, SettingValue>> = {}
  for (const [key, value] of Object.entries(values) as [SettingKey, SettingValue][]) {
    if (value !== defaults[key]) changed[key] = value
  }
  return changed
}
