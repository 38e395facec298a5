/** The settings of one learning stage: the reference study's own, overlaid with a file and the --seed flag. */
import type { z } from 'zod'
import type { GroupStage } from '../../shared/group-run.ts'
import {
  type DpoConfig,
  dpoConfigSchema,
  embeddedPreset,
  type GroupConfig,
  groupConfigSchema,
  minimumPreset,
  type PpoConfig,
  ppoConfigSchema,
  type StudyConfig,
  studyConfigSchema,
  type TrainingConfig,
  trainingConfigSchema,
} from '../../shared/training-config.ts'
import { dpoConfig, groupConfig, ppoConfig, supervisedConfig } from '../workbench/study-config.ts'
import { type ConfigFile, readConfigFile } from './config-file.ts'
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
  const { config } = overlaid(file, trainingConfigSchema, supervisedConfig(presets[preset], stage), [])
  return seed === undefined ? config : { ...config, seed }
}

/** PPO has learning rates of its own, so the supervised stages' keys are allowed in its file but unused. */
export function ppoSettings({ preset = 'minimum', file, seed, note }: Sources): PpoConfig {
  const neighbours = Object.keys(trainingConfigSchema.shape)
  const { config, unused } = overlaid(file, ppoConfigSchema, ppoConfig(presets[preset]), neighbours)
  if (unused.length > 0) note(`${file}: ${unused.join(', ')} not used by ppo`)
  return seed === undefined ? config : { ...config, seed }
}

/** The group trainers' file may hold the keys of the neighbouring stages, which are then unused. */
export function groupSettings(stage: GroupStage, { preset = 'minimum', file, seed, note }: Sources): GroupConfig {
  const neighbours = [...Object.keys(trainingConfigSchema.shape), ...Object.keys(ppoConfigSchema.shape)]
  const { config, unused } = overlaid(file, groupConfigSchema, groupConfig(presets[preset]), neighbours)
  if (unused.length > 0) note(`${file}: ${unused.join(', ')} not used by ${stage}`)
  return seed === undefined ? config : { ...config, seed }
}

export function dpoSettings({ preset = 'minimum', file, seed }: Omit<Sources, 'note'>): DpoConfig {
  const { config } = overlaid(file, dpoConfigSchema, dpoConfig(presets[preset]), [])
  return seed === undefined ? config : { ...config, seed }
}

function overlaid<Shape extends z.ZodRawShape>(
  file: string | undefined,
  schema: z.ZodObject<Shape>,
  defaults: z.infer<z.ZodObject<Shape>>,
  neighbours: readonly string[],
): ConfigFile<z.infer<z.ZodObject<Shape>>> {
  if (file === undefined) return { config: defaults, unused: [] }
  return readConfigFile(
    file,
    schema,
    defaults,
    neighbours.filter((key) => !(key in schema.shape)),
  )
}

export function studySettings(file: string, defaults: StudyConfig = minimumPreset): StudyConfig {
  return readConfigFile(file, studyConfigSchema, defaults).config
}
