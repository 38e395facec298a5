/** The shape of a trajectory row (JSONL). Unknown fields are kept; a list of the wrong length names its turn. */
import { z } from 'zod'
import { type Trajectory, tokenFields } from '../../shared/trajectory.ts'
import { rowId, text, tokenIds } from './row-schemas.ts'

/** Models and audits compute in float32, where the square of a larger number is soon no number any more. */
export const mostMagnitude = 1e15
const bounded = `must lie within ±${mostMagnitude.toExponential(0).replace('+', '')}; rescale it`
const finite = z.number('must be a number').min(-mostMagnitude, bounded).max(mostMagnitude, bounded)
const numbers = z.array(finite)
const key = text.refine((value) => value.length > 0, 'is empty')
const index = z.number().refine((value) => Number.isSafeInteger(value) && value >= 0, 'must be an integer from 0 on')

const turnSchema = z.looseObject({
  role: z.enum(['system', 'user', 'assistant', 'tool'], 'must be system, user, assistant or tool'),
  text: text.nullish(),
  token_ids: tokenIds.nullish(),
  ...(Object.fromEntries(tokenFields.map((name) => [name, numbers.nullish()])) as Record<
    (typeof tokenFields)[number],
    z.ZodOptional<z.ZodNullable<typeof numbers>>
  >),
  state_key: key.nullish(),
  reward: finite.nullish(),
  segment: index.nullish(),
  option: index.nullish(),
  potential: finite.nullish(),
  event: text.nullish(),
})

/** Null and empty lists say "not recorded": they are dropped, so that presence is one question. */
function withoutAbsent<T extends Readonly<Record<string, unknown>>>(row: T, meaningful: ReadonlySet<string>): T {
  const absent = (value: unknown) => value == null || (Array.isArray(value) && value.length === 0)
  return Object.fromEntries(Object.entries(row).filter(([name, value]) => meaningful.has(name) || !absent(value))) as T
}

/** A null reward is an abstention. A turn without tokens is a fact, a turn without ids is a gap. */
const meaningfulOfTrajectory = new Set(['reward', 'turns'])
const meaningfulOfTurn = (turn: { readonly token_ids?: unknown }) =>
  new Set(turn.token_ids == null ? [] : ['token_ids'])

export const trajectorySchema = z
  .looseObject({
    id: rowId,
    group: rowId.optional(),
    reward: finite.nullable(),
    terminated: z.boolean('must be true or false').optional(),
    truncated: z.boolean('must be true or false').optional(),
    bootstrap_value: finite.nullish(),
    final_state_key: key.nullish(),
    base_score: finite.nullish(),
    greedy_reward: finite.nullish(),
    end: text.nullish(),
    success: z.boolean('must be true, false or null').nullish(),
    verifier_confidence: finite.refine((value) => value >= 0 && value <= 1, 'must lie in 0 to 1').nullish(),
    episode: rowId.nullish(),
    turns: z.array(turnSchema).min(1, 'is empty'),
  })
  .superRefine((row, context) => {
    const refuse = (message: string, ...path: (string | number)[]) =>
      context.addIssue({ code: 'custom', message, path: ['turns', ...path] })
    if (row.terminated === true && row.truncated === true)
      context.addIssue({
        code: 'custom',
        message: 'a rollout is terminated or truncated, not both',
        path: ['truncated'],
      })
    row.turns.forEach((turn, k) => {
      if (turn.token_ids == null && turn.text == null) refuse('needs text or token_ids', k)
      for (const name of tokenFields) {
        const list = turn[name]
        if (list == null || list.length === 0) continue
        const tokens = turn.token_ids?.length ?? 0
        if (list.length !== tokens) refuse(`has ${list.length} numbers for ${tokens} token_ids`, k, name)
      }
    })
  })
  .transform((row): Trajectory => {
    const turns = row.turns.map((turn) => withoutAbsent(turn, meaningfulOfTurn(turn)))
    const truncated = row.truncated ?? false
    const terminated = row.terminated ?? !truncated
    const whole = { ...row, group: row.group ?? row.id, truncated, terminated, turns }
    return withoutAbsent(whole, meaningfulOfTrajectory) as unknown as Trajectory
  })
