/** Other words in the observations, and more of them: the number of policy targets must not change. */
import type { Trajectory, Turn } from '../../../../shared/trajectory.ts'
import { methodNamed } from '../estimators/registry.ts'
import { actionPlaces } from '../trained-row.ts'
import { advantagesOf, again, type Check, first, short } from './check.ts'

/** Equal observations stay equal, others stay different; rewards are kept, what was read at the old tokens is not. */
function reworded(turn: Turn): Turn {
  if (turn.role === 'assistant' || turn.role === 'system') return turn
  const { token_ids: ids, rewards, values, text, reward } = turn
  const longer = ids === undefined || ids.length === 0 ? ids : [...ids.map((token) => token + 1), ...ids, ids[0]!]
  const earned = (rewards ?? []).reduce((sum, value) => sum + value, reward ?? 0)
  const recorded = rewards !== undefined || reward !== undefined
  return {
    role: turn.role,
    ...(text !== undefined && { text: `${text} ${text}` }),
    ...(longer !== undefined && { token_ids: longer }),
    ...(values !== undefined && longer !== undefined && { values: longer.map((_, t) => values[t] ?? values.at(-1)!) }),
    ...(recorded && { reward: earned }),
  }
}

/** The prompt stays: it is the question, not an observation. */
function perturbed(trajectory: Trajectory): Trajectory {
  const begun = trajectory.turns.findIndex(({ role }) => role === 'assistant')
  return { ...trajectory, turns: trajectory.turns.map((turn, k) => (k > begun && begun >= 0 ? reworded(turn) : turn)) }
}

export const observationPerturbation: Check = (examined) => {
  const { trajectories, estimate } = examined
  const id = 'observation-perturbation'
  const others = trajectories.map(perturbed)
  const touched = trajectories.filter((row, i) => row.turns.some((turn, k) => turn !== others[i]!.turns[k])).length
  if (touched === 0) {
    return { id, status: 'skipped', figure: null, detail: 'no rollout has an observation after its first action' }
  }
  const targets = (rows: readonly Trajectory[]) => rows.reduce((sum, row) => sum + actionPlaces(row).length, 0)
  const before = targets(trajectories)
  const after = targets(others)
  const movedBy = (method = estimate.method) => {
    const one = advantagesOf(method === estimate.method ? estimate : again(examined, method, trajectories))
    const other = advantagesOf(again(examined, method, others))
    return one.reduce((most, value, t) => Math.max(most, Math.abs(value - (other[t] ?? 0))), 0)
  }
  const own = movedBy()
  const skips = estimate.method.name === 'gae' || estimate.method.name === 'td'
  const skipping = skips ? movedBy(methodNamed('gae-skip-observation', 'method')) : own
  const trained = trajectories
    .filter(({ turns }) => turns.some(({ role, logprobs }) => role !== 'assistant' && logprobs !== undefined))
    .map((row) => row.id)
  const data = { targets_before: before, targets_after: after, largest_change: own, largest_change_skipping: skipping }
  const words = `observations of ${touched} rollouts reworded and made longer: ${before} policy targets before, ${after} after`
  const result = (status: 'ok' | 'warning' | 'failed', more: string) =>
    ({ id, status, figure: after - before, detail: `${words}; ${more}`, data }) as const
  if (after !== before || skipping > 1e-9) {
    return result('failed', `advantages that skip observations moved by ${short(skipping)}`)
  }
  if (own > 1e-9) {
    return result(
      'warning',
      `${estimate.method.name} takes steps in observations: its advantages moved by up to ${short(own)}`,
    )
  }
  if (trained.length > 0) {
    return result('warning', `observations carry logprobs in ${first(trained)}: check that no trainer trains on them`)
  }
  return result('ok', 'no advantage moved')
}
