/**
 * How far a rollout's credit gathers in few of its agent turns, from an audit by turn. With p_k = ‖g_k‖ / Σ ‖g_j‖ over the
 * turns of one rollout, 1/Σ p_k² turns of equal weight would be as concentrated. Where no rollout has several agent turns
 * there is nothing to spread over, and that is said instead of a figure.
 */
import type { AuditPart, TurnConcentration } from '../../../../shared/credit.ts'
import { mean } from '../../study/statistics.ts'

/** @param parts of an audit by turn: `id/turn K`, with norm shares, in trajectory order */
export function turnConcentration(parts: readonly AuditPart[]): TurnConcentration {
  const rollouts = byRollout(parts)
  const several = rollouts.filter((turns) => turns.length > 1)
  if (several.length === 0) {
    return {
      refused: `none of ${rollouts.length} rollouts has more than one agent turn, so credit has no turns to gather in`,
      remedy: 'audit rollouts of several agent turns, such as those of the desk',
    }
  }
  const shares = several.map(shareOfNorm)
  const positions = Math.max(...several.map((turns) => turns.length))
  return {
    rollouts: several.length,
    mean_turns: mean(several.map((turns) => turns.length)),
    effective_turns: mean(shares.map((own) => 1 / own.reduce((sum, share) => sum + share ** 2, 0))),
    largest_turn: mean(shares.map((own) => Math.max(...own))),
    by_position: Array.from({ length: positions }, (_, k) => {
      const reached = several.flatMap((turns, i) =>
        turns[k] === undefined ? [] : [{ turn: turns[k], share: shares[i]![k]! }],
      )
      return {
        agent_turn: k + 1,
        rollouts: reached.length,
        norm_share: mean(reached.map(({ share }) => share)),
        projected_share: reached.reduce((sum, { turn }) => sum + turn.projected_share, 0),
      }
    }),
  }
}

function byRollout(parts: readonly AuditPart[]): AuditPart[][] {
  const rollouts = new Map<string, AuditPart[]>()
  for (const part of parts) {
    const id = part.name.slice(0, part.name.lastIndexOf('/turn '))
    const turns = rollouts.get(id)
    if (turns === undefined) rollouts.set(id, [part])
    else turns.push(part)
  }
  return [...rollouts.values()]
}

/** Of one rollout; equal where none of its turns pushes at all. */
function shareOfNorm(turns: readonly AuditPart[]): number[] {
  const norms = turns.map(({ norm_share }) => norm_share ?? 0)
  const whole = norms.reduce((sum, norm) => sum + norm, 0)
  return norms.map((norm) => (whole === 0 ? 1 / turns.length : norm / whole))
}
