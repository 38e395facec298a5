/** Reads a range of a run's journal and checks each line's shape before anything of it is stored. */
import { createHash, type Hash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { z } from 'zod'
import type { JournalLine } from '../../shared/stage.ts'
import { trajectorySchema } from '../rows/trajectory-schema.ts'

const number = z.number()
const numbers = z.array(number).readonly()
const traceRow = z.union([
  z.object({ id: z.string(), tokens: number, sum_logprob: number }),
  z.object({ id: z.string(), chosen: number, rejected: number }),
])
const ids = z.array(z.int().nonnegative())

const rollout = z.object({
  rollout_id: z.string(),
  prompt_id: z.string(),
  prompt_ids: ids,
  response_ids: ids,
  text: z.string(),
  finish_reason: z.enum(['eos', 'length']),
  tokenization_valid: z.boolean(),
  old_token_logprobs: numbers,
  reference_token_logprobs: numbers,
  values: numbers,
  token_rewards: numbers,
  advantages: numbers,
  returns: numbers,
  learned_reward_score: number,
  reward_parts: z.object({ judge: number, kl: number, truncation: number }),
  sampled_actor_reference_logratio: number,
})

const ppoUpdate = z.object({
  update: z.int(),
  epoch_within_rollout: z.int(),
  learning_rates: z.object({ actor: number, critic: number }),
  grad_norms: z.object({ actor: number, critic: number }),
  actor_loss: number,
  critic_loss: number,
  clip_fraction: number,
  equal_response_denominator: number,
  observations: z.array(
    z.object({
      rollout_id: z.string(),
      current_token_logprobs: numbers,
      ratios: numbers,
      current_values: numbers,
      actor_loss: number,
      critic_loss: number,
      old_logprob_max_difference: number,
    }),
  ),
})

const groupRollout = z.object({
  task_id: z.string(),
  trajectory: trajectorySchema,
  advantage: number.nullable(),
  sampled_policy_reference_logratio: number.nullable(),
  tokenization_valid: z.boolean(),
  facts: z.record(z.string(), number).optional(),
})

const policyUpdate = z.object({
  update: z.int(),
  epoch_within_rollout: z.int(),
  learning_rate: number,
  loss: number,
  grad_norm: number,
  clip_fraction: number,
  reference_divergence: number,
  equal_response_denominator: number,
  observations: z.array(
    z.object({
      rollout_id: z.string(),
      current_token_logprobs: numbers,
      ratios: numbers,
      loss: number,
      old_logprob_max_difference: number,
    }),
  ),
  critic: z.object({ learning_rate: number, loss: number, grad_norm: number }).optional(),
})

const creditReading = z.object({
  trained_positions: z.int(),
  backward_passes: z.int(),
  forward_mode_passes: z.int(),
  full_norm: number,
  projected_share_sum: number,
  conservation_error: number,
  cancellation: number,
  token_conservation_error: number,
  rollouts: z.array(
    z.object({
      rollout_id: z.string(),
      positions: z.int(),
      projected_share: number,
      norm_share: number,
      token_shares: numbers,
    }),
  ),
})

/** Unknown fields are dropped from the store, not from the journal. */
const journalLine = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('update'),
    epoch: z.int(),
    update: z.int(),
    learning_rate: number,
    denominator: number,
    denominator_kind: z.enum(['active_response_tokens', 'pairs']),
    loss: number,
    grad_norm: number,
    rows: z.array(traceRow),
  }),
  z.object({
    kind: z.literal('validation'),
    epoch: z.int(),
    population: z.int(),
    loss: number,
    accuracy: number.optional(),
    ties: z.int().optional(),
    rows: z.array(traceRow),
    used_for_selection: z.literal(false),
  }),
  z.object({
    kind: z.literal('iteration'),
    iteration: z.int(),
    policy_sha256: z.string(),
    reduction: z.literal('response mean, then batch mean'),
    rollouts: z.array(rollout),
    updates: z.array(ppoUpdate),
  }),
  z.object({
    kind: z.literal('group-iteration'),
    iteration: z.int(),
    policy_sha256: z.string(),
    reduction: z.literal('response mean, then batch mean'),
    rollouts: z.array(groupRollout),
    updates: z.array(policyUpdate),
  }),
  z.object({
    kind: z.literal('credit-audit'),
    iteration: z.int(),
    update: z.int(),
    epoch_within_rollout: z.int(),
    policy_sha256: z.string(),
    dtype: z.literal('float32'),
    reading: creditReading.nullable(),
  }),
])

/**
 * Bytes `[from, to)` of a file.
 * Throws when the file is shorter: what was reported as committed is then not on disk.
 */
export function readRange(file: string, from: number, to: number): Buffer {
  const descriptor = openSync(file, 'r')
  try {
    const { size } = fstatSync(descriptor)
    if (size < to) throw new Error(`${file} has ${size} bytes, fewer than the ${to} that were reported as written`)
    const bytes = Buffer.allocUnsafe(to - from)
    let done = 0
    while (done < bytes.length) done += readSync(descriptor, bytes, done, bytes.length - done, from + done)
    return bytes
  } finally {
    closeSync(descriptor)
  }
}

/** SHA-256, not yet closed, over the first `length` bytes of a file. */
export function hashRange(file: string, length: number): Hash {
  const hash = createHash('sha256')
  const step = 1 << 22
  for (let at = 0; at < length; at += step) hash.update(readRange(file, at, Math.min(length, at + step)))
  return hash
}

/** Whole lines only. Throws naming the line (counted from the start of `bytes`) and the field that is wrong. */
export function parseJournal(bytes: Buffer, name: string): JournalLine[] {
  if (bytes.length === 0) return []
  if (bytes.at(-1) !== 0x0a) throw new Error(`${name}: the committed part does not end with a whole line`)
  return bytes
    .toString('utf8')
    .split('\n')
    .slice(0, -1)
    .map((text, index) => parseLine(text, `${name}, line ${index + 1} of the part read`))
}

function parseLine(text: string, place: string): JournalLine {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Error(`${place}: ${(error as Error).message}`)
  }
  const result = journalLine.safeParse(value)
  if (result.success) return result.data as JournalLine
  const issue = result.error.issues[0]
  throw new Error(`${place}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not a journal line'}`)
}
