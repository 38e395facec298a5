/** The settings of one learning stage: the reference study's own, overlaid with a file and the --seed flag. */
import {
  minimumPreset,
  type PpoConfig,
  ppoConfigSchema,
  type StudyConfig,
  studyConfigSchema,
  type TrainingConfig,
  trainingConfigSchema,
} from '../../shared/training-config.ts'
import { readConfigFile } from './config-file.ts'

export function supervisedDefaults(stage: 'sft' | 'reward', study: StudyConfig = minimumPreset): TrainingConfig {
  return {
    learning_rate: stage === 'sft' ? study.sft_learning_rate : study.reward_learning_rate,
    epochs: stage === 'sft' ? study.sft_epochs : study.reward_epochs,
    ...pick(study, [
      'accumulation_examples',
      'warmup_ratio',
      'minimum_lr_ratio',
      'weight_decay',
      'gradient_clip',
      'seed',
      'lora_rank',
      'lora_alpha',
      'max_prompt_tokens',
      'max_new_tokens',
      'max_context_tokens',
    ]),
  }
}

export function ppoDefaults(study: StudyConfig = minimumPreset): PpoConfig {
  return pick(study, Object.keys(ppoConfigSchema.shape) as (keyof PpoConfig)[])
}

interface Sources {
  readonly file?: string | undefined
  readonly seed?: number | undefined
  /** Told of keys in the file that this stage does not use. */
  readonly note: (line: string) => void
}

export function supervisedSettings(stage: 'sft' | 'reward', { file, seed }: Omit<Sources, 'note'>): TrainingConfig {
  const defaults = supervisedDefaults(stage)
  const { config } = file === undefined ? { config: defaults } : readConfigFile(file, trainingConfigSchema, defaults)
  return seed === undefined ? config : { ...config, seed }
}

/** PPO has learning rates of its own, so the supervised stages' keys are allowed in its file but unused. */
export function ppoSettings({ file, seed, note }: Sources): PpoConfig {
  const supervisedOnly = Object.keys(trainingConfigSchema.shape).filter((key) => !(key in ppoConfigSchema.shape))
  const { config, unused } =
    file === undefined
      ? { config: ppoDefaults(), unused: [] }
      : readConfigFile(file, ppoConfigSchema, ppoDefaults(), supervisedOnly)
  if (unused.length > 0) note(`${file}: ${unused.join(', ')} not used by ppo`)
  return seed === undefined ? config : { ...config, seed }
}

export function studySettings(file: string, defaults: StudyConfig = minimumPreset): StudyConfig {
  return readConfigFile(file, studyConfigSchema, defaults).config
}

function pick<T extends object, Key extends keyof T>(source: T, keys: readonly Key[]): Pick<T, Key> {
  return Object.fromEntries(keys.map((key) => [key, source[key]])) as Pick<T, Key>
}
