/** Is the run healthy? Named checks with their figures; a threshold is written where it is used. */
import { change, decimal, integer, percent, significant } from '../../main/report/number-text.ts'
import { isGroupStage } from '../../shared/group-run.ts'
import type { RunView } from '../../shared/ipc.ts'
import { groupChecks } from './group-health.ts'
import { measuresOf } from './measures.ts'

export type HealthState = 'good' | 'watch' | 'bad' | 'waiting' | 'none'

export interface HealthCheck {
  readonly name: string
  readonly state: HealthState
  readonly figure: string
  /** What the figure is, and where the states change. */
  readonly detail: string
}

export function healthOf(view: RunView): readonly HealthCheck[] {
  const checks =
    view.group !== undefined
      ? groupChecks(view.group, gradient(view))
      : view.run.stage === 'ppo'
        ? ppoChecks(view)
        : supervisedChecks(view)
  const all = [...checks, nonFinite(view), frozen(view)]
  // A run that has ended waits for nothing.
  const ended = view.run.status === 'finished' || view.run.status === 'failed'
  return ended ? all.map((check) => (check.state === 'waiting' ? { ...check, state: 'none' } : check)) : all
}

export const waiting = (name: string, detail: string): HealthCheck => ({ name, state: 'waiting', figure: '—', detail })

function ppoChecks(view: RunView): HealthCheck[] {
  return [ratioRange(view), logRatio(view), gradient(view), truncation(view), sampling(view)]
}

function supervisedChecks(view: RunView): HealthCheck[] {
  return [loss(view), gradient(view)]
}

const recentUpdates = 20
const recentIterations = 10

function ratioRange(view: RunView): HealthCheck {
  const name = 'Ratio in range'
  const recent = view.ppo_updates.slice(-recentUpdates)
  const detail = `Smallest and largest ratio over the tokens of the last ${recent.length} updates. Amber outside 0.5 to 2, red outside 0.1 to 10.`
  if (recent.length === 0) return waiting(name, detail)
  const low = Math.min(...recent.map((update) => update.ratio_min))
  const high = Math.max(...recent.map((update) => update.ratio_max))
  const outside = (from: number, to: number) => !(low >= from && high <= to)
  return {
    name,
    state: outside(0.1, 10) ? 'bad' : outside(0.5, 2) ? 'watch' : 'good',
    figure: `${decimal(low, 2)} to ${decimal(high, 2)}`,
    detail,
  }
}

function logRatio(view: RunView): HealthCheck {
  const name = 'Sampled log-ratio'
  const recent = view.iterations.slice(-recentIterations)
  const detail = `Policy to reference, nats a token, mean of the last ${recent.length} iterations. Amber beyond ±0.5, red beyond ±2. It can be negative.`
  if (recent.length === 0) return waiting(name, detail)
  const value = recent.reduce((sum, point) => sum + point.mean_sampled_actor_reference_logratio, 0) / recent.length
  const size = Math.abs(value)
  return { name, state: size <= 0.5 ? 'good' : size <= 2 ? 'watch' : 'bad', figure: change(value), detail }
}

function gradient(view: RunView): HealthCheck {
  const name = 'Gradient norm'
  const norms =
    view.run.stage === 'ppo'
      ? view.ppo_updates.map((update) => update.actor_grad_norm)
      : view.updates.map((update) => update.grad_norm)
  const judged = 'Of the last update, before clipping. Amber above 10 times the run’s median, red above 100 times.'
  const last = norms.at(-1)
  if (last === undefined) return waiting(name, judged)
  const sorted = Float64Array.from(norms.filter(Number.isFinite)).sort()
  const median = sorted[sorted.length >> 1] ?? Number.NaN
  return {
    name,
    state: last <= 10 * median ? 'good' : last <= 100 * median ? 'watch' : 'bad',
    figure: significant(last),
    detail: `${judged} Median ${significant(median)}.`,
  }
}

function truncation(view: RunView): HealthCheck {
  const name = 'Truncated'
  const recent = view.iterations.slice(-recentIterations)
  const detail = `Rollouts cut at the token limit in the last ${recent.length} iterations. Amber above 10%, red above 50%.`
  const all = recent.reduce((sum, point) => sum + point.rollouts, 0)
  if (all === 0) return waiting(name, detail)
  const cut = recent.reduce((sum, point) => sum + point.without_eos, 0)
  const share = cut / all
  return {
    name,
    state: share <= 0.1 ? 'good' : share <= 0.5 ? 'watch' : 'bad',
    figure: `${percent(share, 0)}, ${integer(cut)} of ${integer(all)}`,
    detail,
  }
}

/** In the first pass nothing has been learned yet: log-probs taken again must equal those of the sampling. */
function sampling(view: RunView): HealthCheck {
  const name = 'Sampling agrees'
  const first = view.ppo_updates.filter((update) => update.epoch_within_rollout === 1 && update.update === 1)
  const detail =
    'Largest difference between the log-probs of the sampling and those computed again before the first update: rounding only. Amber above 0.001, red above 0.1.'
  const value = first[0]?.old_logprob_max_difference
  if (value === undefined) return waiting(name, detail)
  return { name, state: value <= 1e-3 ? 'good' : value <= 0.1 ? 'watch' : 'bad', figure: significant(value), detail }
}

function loss(view: RunView): HealthCheck {
  const name = 'Loss'
  const losses = view.updates.map((update) => update.loss).filter(Number.isFinite)
  const detail = 'Mean of the last tenth of the updates against the first tenth. Amber where it did not fall.'
  if (losses.length < 2) return waiting(name, detail)
  const tenth = Math.max(1, Math.floor(losses.length / 10))
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [first, last] = [mean(losses.slice(0, tenth)), mean(losses.slice(-tenth))]
  return { name, state: last < first ? 'good' : 'watch', figure: `${decimal(first)} → ${decimal(last)}`, detail }
}

function nonFinite(view: RunView): HealthCheck {
  const measures = measuresOf(view)
  const bad = measures.filter(({ points }) => points.some(({ y }) => y !== null && !Number.isFinite(y)))
  const count = bad.reduce(
    (sum, one) => sum + one.points.filter(({ y }) => y !== null && !Number.isFinite(y)).length,
    0,
  )
  const all = measures.reduce((sum, one) => sum + one.points.length, 0)
  return {
    name: 'Non-finite',
    state: all === 0 ? 'waiting' : count === 0 ? 'good' : 'bad',
    figure: all === 0 ? '—' : `${integer(count)} of ${integer(all)}`,
    detail: `NaN or infinity among everything recorded${bad.length === 0 ? '' : `: ${bad.map(({ name }) => name).join(', ')}`}. Red from one on.`,
  }
}

/** States that a run must not move, by the roles it names; where it names none, the base says so by its hash. */
const frozenRoles = ['reference', 'ppo_reward', 'reward']

function frozen({ run }: RunView): HealthCheck {
  const name = 'Frozen parts'
  const learnsFromRollouts = run.stage === 'ppo' || isGroupStage(run.stage)
  const roles = learnsFromRollouts ? frozenRoles.filter((role) => role in run.initial_learned_sha256) : []
  const ended = roles.filter((role) => role in run.final_learned_sha256)
  const moved = ended.filter((role) => run.initial_learned_sha256[role] !== run.final_learned_sha256[role])
  const base = run.base_sha256 === null ? '' : ` Base ${run.base_sha256.slice(0, 12)}.`
  if (moved.length > 0) {
    return { name, state: 'bad', figure: `${moved.join(', ')} changed`, detail: `Hashes differ from the start.${base}` }
  }
  if (ended.length > 0) {
    const detail = `${ended.join(', ')}: same SHA-256 at the start and at the end.${base}`
    return { name, state: 'good', figure: `${ended.length} unchanged`, detail }
  }
  if (run.status === 'finished') {
    return {
      name,
      state: 'good',
      figure: run.base_sha256 === null ? 'base only' : `base ${run.base_sha256.slice(0, 8)}`,
      detail: `The base is read-only for every role; this run holds no other frozen state.${base}`,
    }
  }
  return waiting(name, 'Hashes are compared when the run ends.')
}
