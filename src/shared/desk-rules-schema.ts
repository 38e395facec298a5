/** What the desk's rules may be, in files, flags and requests. */
import { z } from 'zod'
import { type DeskRules, longestHorizon } from './desk-rules.ts'

const cost = z.number().finite().nonnegative()
const weight = z.number().finite()
const tokens = z.number().int().positive().max(1_000_000)

export const deskRulesSchema = z.strictObject({
  horizon: z.number().int().min(1).max(longestHorizon),
  max_turn_tokens: tokens,
  max_context_tokens: tokens,
  failure_rate: z.number().min(0).max(1),
  rubric_weight: weight,
  reward_model_weight: weight,
  check_cost: cost,
  invalid_cost: cost,
  truncation_penalty: z.number().finite(),
} satisfies Record<keyof DeskRules, z.ZodType<number>>)
