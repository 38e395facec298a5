/** Settings of one learning stage on the user's own rows: the reference study's, with those given in their place. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { z } from 'zod'
import { BadInput } from '../../shared/bad-input.ts'
import type { CriticSettings } from '../../shared/group-run.ts'
import {
  type DpoConfig,
  dpoConfigSchema,
  type GroupConfig,
  groupConfigSchema,
  minimumPreset,
  type PpoConfig,
  ppoConfigSchema,
  type TrainingConfig,
  trainingConfigSchema,
} from '../../shared/training-config.ts'
import { dpoConfig, groupConfig, ppoConfig, supervisedConfig } from './study-config.ts'

export interface TrainSettings {
  /** Flat settings from a file; those left out keep their default. */
  readonly config?: unknown
  /** What to call them in messages. */
  readonly configSource?: string
  readonly seed?: number
  /** PEFT folder whose rank and alpha take precedence over the settings'. */
  readonly initAdapter?: string
}

/** Throws `BadInput` naming the setting that is unknown or wrong. */
export function trainingSettings(stage: 'sft' | 'reward', settings: TrainSettings): TrainingConfig {
  return completed(trainingConfigSchema, supervisedConfig(minimumPreset, stage), settings)
}

/** Throws as `trainingSettings`. */
export function ppoSettings(settings: TrainSettings): PpoConfig {
  return completed(ppoConfigSchema, ppoConfig(minimumPreset), settings)
}

/** Throws as `trainingSettings`. */
export function groupSettings(settings: TrainSettings): GroupConfig {
  return completed(groupConfigSchema, groupConfig(minimumPreset), settings)
}

/** Throws as `trainingSettings`. */
export function dpoSettings(settings: TrainSettings): DpoConfig {
  return completed(dpoConfigSchema, dpoConfig(minimumPreset), settings)
}

function completed<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  defaults: z.infer<z.ZodObject<Shape>>,
  settings: TrainSettings,
): z.infer<z.ZodObject<Shape>> {
  const given = settings.config ?? {}
  const source = settings.configSource ?? 'config'
  if (typeof given !== 'object' || Array.isArray(given)) throw new BadInput(source, 'is not a list of settings by name')
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(schema.shape, name))
  if (unknown !== undefined) throw new BadInput(source, 'is not a setting of this stage', unknown)
  const shape = settings.initAdapter === undefined ? {} : adapterShape(settings.initAdapter)
  const seed = settings.seed === undefined ? {} : { seed: settings.seed }
  const result = schema.safeParse({ ...defaults, ...given, ...shape, ...seed })
  if (result.success) return result.data
  const issue = result.error.issues[0]
  const place = issue?.path.join('.') || undefined
  throw new BadInput(
    place === 'seed' && settings.seed !== undefined ? '--seed' : source,
    issue?.message ?? 'is not usable',
    place,
  )
}

/** Rank and alpha of an adapter folder; what else is wrong with it is the stage's to say. */
function adapterShape(folder: string): { lora_rank: number; lora_alpha: number } {
  const file = join(folder, 'adapter_config.json')
  let parsed: { r?: unknown; lora_alpha?: unknown } | null
  try {
    parsed = JSON.parse(readFileSync(file, 'utf8')) as typeof parsed
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    throw new BadInput(file, missing ? 'does not exist; name a PEFT adapter folder' : 'cannot be read as JSON')
  }
  const { r, lora_alpha } = parsed ?? {}
  if (typeof r !== 'number' || typeof lora_alpha !== 'number') throw new BadInput(file, 'has no r and lora_alpha')
  return { lora_rank: r, lora_alpha }
}

/** PPO's settings where rollouts have several turns: the loop is the group trainers', and each group is one rollout. */
export function turnPpoSettings(config: PpoConfig): { config: GroupConfig; critic: CriticSettings } {
  const {
    ppo_actor_lr,
    ppo_critic_lr,
    ppo_epochs_per_rollout,
    gamma,
    gae_lambda,
    value_loss_coef,
    kl_coefficient,
    ...common
  } = config
  return {
    config: {
      ...common,
      ...noComparison,
      gae_lambda,
      value_loss_coef,
      critic_learning_rate: ppo_critic_lr,
      learning_rate: ppo_actor_lr,
      epochs_per_rollout: ppo_epochs_per_rollout,
      // Leaving the reference is paid for in the token rewards, as single-turn PPO does.
      kl_coefficient: 0,
    },
    critic: { learning_rate: ppo_critic_lr, gamma, gae_lambda, value_loss_coef, kl_coefficient },
  }
}

/** What the group trainers ask and PPO does not use. */
const noComparison = {
  group_size: 1,
  max_weight: 4,
  ablation: 'none',
  gate: 'constant',
  gate_min: 0,
  gate_max: 1,
} as const
