/** The settings of one learning stage: the reference study's own, overlaid with a file and the --seed flag. */
import {
  embeddedPreset,
  minimumPreset,
  type PpoConfig,
  ppoConfigSchema,
  type StudyConfig,
  studyConfigSchema,
  type TrainingConfig,
  trainingConfigSchema,
} from '../../shared/training-config.ts'
import { ppoConfig, supervisedConfig } from '../workbench/study-config.ts'
import { readConfigFile } from './config-file.ts'
import type { PresetName } from './preset-names.ts'

const presets: Readonly<Record<PresetName, StudyConfig>> = { minimum: minimumPreset, embedded: embeddedPreset }

interface Sources {
  /** What the settings are where the file is silent. */
  readonly preset?: PresetName
  readonly file?: string | undefined
  readonly seed?: number | undefined
  /** Told of keys in the file that this stage does not use. */
  readonly note: (line: string) => void
}

export function supervisedSettings(
  stage: 'sft' | 'reward',
  { preset = 'minimum', file, seed }: Omit<Sources, 'note'>,
): TrainingConfig {
  const defaults = supervisedConfig(presets[preset], stage)
  const { config } = file === undefined ? { config: defaults } : readConfigFile(file, trainingConfigSchema, defaults)
  return seed === undefined ? config : { ...config, seed }
}

/** PPO has learning rates of its own, so the supervised stages' keys are allowed in its file but unused. */
export function ppoSettings({ preset = 'minimum', file, seed, note }: Sources): PpoConfig {
  const defaults = ppoConfig(presets[preset])
  const supervisedOnly = Object.keys(trainingConfigSchema.shape).filter((key) => !(key in ppoConfigSchema.shape))
  const { config, unused } =
    file === undefined
      ? { config: defaults, unused: [] }
      : readConfigFile(file, ppoConfigSchema, defaults, supervisedOnly)
  if (unused.length > 0) note(`${file}: ${unused.join(', ')} not used by ppo`)
  return seed === undefined ? config : { ...config, seed }
}

export function studySettings(file: string, defaults: StudyConfig = minimumPreset): StudyConfig {
  return readConfigFile(file, studyConfigSchema, defaults).config
}
