/** How much room a study needs, from the base model's shape, and whether the disk has it. */
import { readFileSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { BadInput } from '../../shared/bad-input.ts'
import type { StudyConfig } from '../../shared/training-config.ts'

/** Left free beside the estimate, so that a study never fills the disk to the brim. */
const reserve = 256 * 1024 * 1024
const float = 4
/** A token of a rollout in the journal (about sixteen numbers as text) and in the store (as float64). */
const bytesPerToken = 16 * (20 + 8)

/** Bytes that a whole study writes at most, with the float32 copy of the base model. */
export function studyBytes(
  config: StudyConfig,
  modelDir: string,
  files: readonly string[],
  verifyResume: boolean,
): number {
  const weights = files
    .filter((name) => name.endsWith('.safetensors'))
    .reduce((sum, name) => sum + statSync(join(modelDir, name)).size, 0)
  const learned = loraParameters(config.lora_rank, modelDir) * float
  // Learned values and two optimizer moments; a state is written beside the one it replaces.
  const supervised = 2 * (3 * learned) + learned
  const ppo = 2 * (4 * learned + 2 * 2 * learned) + 2 * learned
  const rollouts = config.rollout_iterations * config.prompts_per_rollout
  const tokens = rollouts * (config.max_prompt_tokens / 4 + config.max_new_tokens)
  const runs = 2 * supervised + ppo + tokens * bytesPerToken
  return Math.ceil(2 * weights + runs * (verifyResume ? 2 : 1))
}

/** Bytes that one stage on the user's own rows writes at most: run folder, adapter, and the float32 copy. */
export function trainBytes(rank: number, modelDir: string, files: readonly string[]): number {
  const weights = files
    .filter((name) => name.endsWith('.safetensors'))
    .reduce((sum, name) => sum + statSync(join(modelDir, name)).size, 0)
  return Math.ceil(2 * weights + 12 * loraParameters(rank, modelDir) * float)
}

/** Trainable parameters of one role's LoRA on all seven projections; 0 where the configuration does not tell. */
export function loraParameters(rank: number, modelDir: string): number {
  const config = JSON.parse(readFileSync(join(modelDir, 'config.json'), 'utf8')) as Record<string, unknown>
  const number = (name: string) => (typeof config[name] === 'number' ? config[name] : 0)
  const [hidden, inner, layers, heads] = [
    number('hidden_size'),
    number('intermediate_size'),
    number('num_hidden_layers'),
    number('num_attention_heads'),
  ]
  if (heads === 0) return 0
  const keyValue = (hidden / heads) * (number('num_key_value_heads') || heads)
  const perLayer = 2 * (hidden + hidden) + 2 * (hidden + keyValue) + 3 * (hidden + inner)
  return layers * rank * perLayer
}

export function freeBytes(dir: string): number {
  const { bavail, bsize } = statfsSync(dir)
  return bavail * bsize
}

/**
 * Throws `BadInput` with both figures when the disk has less room than needed.
 * @returns a warning when there is little more than needed, else null
 */
export function checkRoom(home: string, needed: number, free: number = freeBytes(home)): string | null {
  const least = needed + reserve
  if (free < least) {
    throw new BadInput(home, `has ${megabytes(free)} of disk space left, and the study needs ${megabytes(least)}`)
  }
  if (free >= 2 * least) return null
  return `${home} has ${megabytes(free)} of disk space left; the study may write up to ${megabytes(needed)}`
}

const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6)} MB`
