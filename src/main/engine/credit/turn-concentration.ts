/**
 * How concentrated a policy gradient is on few turns of each rollout: from the audit of the same batch by turn and by
 * rollout. A turn's weight in its rollout is its part of the rollout's turn norms, ‖g_turn‖ / Σ ‖g_turn‖; beside it stands
 * its part of the rollout's action tokens, since a longer turn has more to be credited for. Computes no gradient.
 */
import type { AuditPart } from '../../../shared/credit-audit.ts'
import type { Trajectory } from '../../../shared/trajectory.ts'
import type { ConcentrationAt, TurnConcentration } from '../../../shared/turn-concentration.ts'
import { mean } from '../study/statistics.ts'

interface CreditedTurn {
  /** Zero-based among the rollout's action turns. */
  readonly place: number
  readonly ofTurns: number
  readonly event: string | undefined
  readonly norm: number
  readonly projected: number
  readonly tokens: number
  /** Parts of the rollout's norms and tokens. */
  readonly weight: number
  readonly tokenShare: number
}

interface CreditedRollout {
  readonly turns: readonly CreditedTurn[]
  /** Σ ‖g_turn‖ / ‖g_rollout‖: 1 where nothing cancels between the rollout's turns. */
  readonly cancellation: number
}

/** 1 / Σ p²: how many equal turns would be as concentrated as these. */
export function effectiveNumber(weights: readonly number[]): number {
  return 1 / weights.reduce((sum, weight) => sum + weight * weight, 0)
}

/**
 * @param byTurn parts named `id/turn K`
 * @param byRollout parts named `id`, of the same gradient
 * @throws RangeError where a part carries no norm, or a rollout's turns are not among the parts
 */
export function turnConcentration(
  trajectories: readonly Trajectory[],
  byTurn: readonly AuditPart[],
  byRollout: readonly AuditPart[],
): TurnConcentration {
  const turnParts = new Map(byTurn.map((part) => [part.name, part]))
  const rollouts = byRollout.map(({ name, norm_share }) => {
    const trajectory = trajectories.find(({ id }) => id === name)
    if (trajectory === undefined) throw new RangeError(`no rollout is named ${name}`)
    return creditedRollout(trajectory, turnParts, given(norm_share, name))
  })
  const credited = rollouts.filter((rollout): rollout is CreditedRollout => rollout !== null)
  const several = credited.filter(({ turns }) => turns.length > 1)
  const turns = several.flatMap((rollout) => rollout.turns)
  const over = (read: (rollout: CreditedRollout) => number) => (several.length === 0 ? null : mean(several.map(read)))
  const weightsOf = (rollout: CreditedRollout) => rollout.turns.map(({ weight }) => weight)
  const tokensOf = (rollout: CreditedRollout) => rollout.turns.map(({ tokenShare }) => tokenShare)
  const places = [...new Set(turns.map(({ place }) => place))].sort((a, b) => a - b)
  const events = [...new Set(turns.flatMap(({ event }) => event ?? []))]
  return {
    rollouts: rollouts.length,
    without_credit: rollouts.length - credited.length,
    single_turn: credited.length - several.length,
    several_turns: several.length,
    mean_turns: over((rollout) => rollout.turns.length),
    top_turn_share: over((rollout) => largest(weightsOf(rollout))),
    top_token_share: over((rollout) => largest(tokensOf(rollout))),
    effective_turns: over((rollout) => effectiveNumber(weightsOf(rollout))),
    effective_turns_by_tokens: over((rollout) => effectiveNumber(tokensOf(rollout))),
    cancellation_within: over(({ cancellation }) => cancellation),
    by_place: places.map((place) =>
      at(
        turns.filter((turn) => turn.place === place),
        String(place + 1),
      ),
    ),
    last: at(
      turns.filter(({ place, ofTurns }) => place === ofTurns - 1),
      'last',
    ),
    by_event: events.map((event) =>
      at(
        turns.filter((turn) => turn.event === event),
        event,
      ),
    ),
  }
}

function creditedRollout(
  trajectory: Trajectory,
  parts: ReadonlyMap<string, AuditPart>,
  rolloutNorm: number,
): CreditedRollout | null {
  const found = trajectory.turns.flatMap((turn, k) => {
    const part = parts.get(`${trajectory.id}/turn ${k}`)
    return turn.role === 'assistant' && part !== undefined ? [{ event: turn.event, part }] : []
  })
  if (found.length === 0) throw new RangeError(`no turn of ${trajectory.id} is among the parts`)
  const norms = found.map(({ part }) => given(part.norm_share, part.name))
  const total = norms.reduce((sum, norm) => sum + norm, 0)
  if (total === 0) return null
  const tokens = found.reduce((sum, { part }) => sum + part.positions, 0)
  return {
    cancellation: total / rolloutNorm,
    turns: found.map(({ event, part }, place) => ({
      place,
      ofTurns: found.length,
      event,
      norm: norms[place]!,
      projected: part.projected_share,
      tokens: part.positions,
      weight: norms[place]! / total,
      tokenShare: part.positions / tokens,
    })),
  }
}

function at(turns: readonly CreditedTurn[], name: string): ConcentrationAt {
  const of = (read: (turn: CreditedTurn) => number) => (turns.length === 0 ? null : mean(turns.map(read)))
  const sum = (read: (turn: CreditedTurn) => number) => turns.reduce((total, turn) => total + read(turn), 0)
  const tokens = sum(({ tokens }) => tokens)
  return {
    name,
    turns: turns.length,
    mean_tokens: of(({ tokens }) => tokens),
    mean_weight: of(({ weight }) => weight),
    mean_token_share: of(({ tokenShare }) => tokenShare),
    projected_share: sum(({ projected }) => projected),
    norm_per_token: tokens === 0 ? null : sum(({ norm }) => norm) / tokens,
  }
}

function given(norm: number | undefined, name: string): number {
  if (norm === undefined) throw new RangeError(`${name} has no norm_share; audit by turn and by rollout`)
  return norm
}

const largest = (shares: readonly number[]) => shares.reduce((most, share) => Math.max(most, share), 0)
