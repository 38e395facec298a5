/** The same rollouts with their step rewards off: how much of the credit is the process reward's. */
import type { Trajectory } from '../../../../shared/trajectory.ts'
import { signAgreement, spearman } from '../estimators/compare.ts'
import { gradedGroups } from '../estimators/estimate.ts'
import { hasStepRewards, turnRewards } from '../estimators/placement.ts'
import { distanceFromPotential } from '../estimators/potential-shaping.ts'
import { actionTurns } from '../estimators/recorded.ts'
import { methodNamed } from '../estimators/registry.ts'
import { advantagesOf, again, type Check, type Examined, short } from './check.ts'

/** More of the tokens with opposite signs than this, and the process reward teaches something else. */
const toleratedOpposite = 0.1

function outcomeOnly(trajectory: Trajectory): Trajectory {
  return { ...trajectory, turns: trajectory.turns.map(({ reward: _own, rewards: _each, ...turn }) => turn) }
}

/**
 * Largest distance of the step rewards, the outcome taken off the last, from γΦ(s') − Φ(s); null where a rollout records
 * no potentials. The state where a rollout was cut has none, so its last step is left out.
 */
function shapingDistance({ trajectories, file, estimate }: Examined): number | null {
  const { gamma = 1 } = estimate.parameters as { readonly gamma?: number }
  let most: number | null = null
  for (const rollout of [...gradedGroups(trajectories, file).values()].flat()) {
    if (!hasStepRewards(rollout.trajectory)) continue
    const potentials = actionTurns(rollout.trajectory).map(({ turn }) => turn.potential)
    if (potentials.some((value) => value === undefined)) return null
    const added = turnRewards(rollout)
    if (added.length === 0) continue
    if (rollout.trajectory.terminated) added[added.length - 1]! -= rollout.outcome
    else added.pop()
    const distance = distanceFromPotential(added, [...(potentials as number[]), 0], gamma)
    most = Math.max(most ?? 0, distance)
  }
  return most
}

export const processRewardOff: Check = (examined) => {
  const { trajectories, estimate } = examined
  const id = 'process-reward-off'
  const stepped = trajectories.filter(hasStepRewards)
  if (stepped.length === 0) {
    return { id, status: 'skipped', figure: null, detail: 'no step rewards are recorded: all credit is the outcome’s' }
  }
  const reads = estimate.method.reads === 'step' || estimate.method.reads === 'both'
  const method = reads ? estimate.method : methodNamed('reward-to-go', 'method')
  const on = advantagesOf(reads ? estimate : again(examined, method, trajectories))
  const off = advantagesOf(again(examined, method, trajectories.map(outcomeOnly)))
  const correlation = spearman(on, off)
  const { share, opposite } = signAgreement(on, off)
  const distance = shapingDistance(examined)
  const shaping =
    distance === null
      ? 'whether it moves the optimum is not known: no potentials are recorded'
      : distance <= 1e-9
        ? 'it is γΦ(s′) − Φ(s) of the recorded potentials: the optimum stays'
        : `it is no potential difference (off by up to ${short(distance)}): it can move the optimum`
  const data = {
    method: method.name,
    rank_correlation: correlation,
    opposite_signs: opposite,
    shaping_distance: distance,
  }
  const agreement = `${method.name} with and without step rewards: signs agree on ${short(100 * (share ?? 0))} % of ${on.length} tokens, ${opposite} are opposite, rank correlation ${correlation === null ? 'undefined' : short(correlation)}`
  const limit = 'The same rollouts are estimated again; a policy trained without would have sampled others.'
  const tooMany = opposite > toleratedOpposite * on.length
  return {
    id,
    status: tooMany || (distance !== null && distance > 1e-9) ? 'warning' : 'ok',
    figure: share,
    detail: `${agreement}; ${shaping}. ${limit}`,
    data,
  }
}
