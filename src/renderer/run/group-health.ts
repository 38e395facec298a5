/** Health of a run that learns from groups of rollouts; a threshold is written where it is used. */
import { decimal, integer, percent, significant } from '../../main/report/number-text.ts'
import type { RunView } from '../../shared/ipc.ts'
import { type HealthCheck, waiting } from './health.ts'

type Group = NonNullable<RunView['group']>

const recentUpdates = 20
const recentIterations = 10

export function groupChecks(group: Group, gradient: HealthCheck): HealthCheck[] {
  return [ratioRange(group), divergence(group), gradient, truncation(group), sampling(group)]
}

function ratioRange({ updates }: Group): HealthCheck {
  const name = 'Ratio in range'
  const recent = updates.slice(-recentUpdates)
  const detail = `Smallest and largest ratio over the tokens of the last ${recent.length} updates. Amber outside 0.5 to 2, red outside 0.1 to 10.`
  if (recent.length === 0) return waiting(name, detail)
  const low = Math.min(...recent.map((update) => update.ratio_min))
  const high = Math.max(...recent.map((update) => update.ratio_max))
  const outside = (from: number, to: number) => !(low >= from && high <= to)
  const state = outside(0.1, 10) ? 'bad' : outside(0.5, 2) ? 'watch' : 'good'
  return { name, state, figure: `${decimal(low, 2)} to ${decimal(high, 2)}`, detail }
}

function divergence({ updates }: Group): HealthCheck {
  const name = 'Divergence'
  const recent = updates.slice(-recentUpdates)
  const detail = `k3 from the reference, nats a token, mean of the last ${recent.length} updates. Amber above 0.5, red above 2.`
  if (recent.length === 0) return waiting(name, detail)
  const value = recent.reduce((sum, update) => sum + update.reference_divergence, 0) / recent.length
  return { name, state: value <= 0.5 ? 'good' : value <= 2 ? 'watch' : 'bad', figure: decimal(value), detail }
}

function truncation({ iterations }: Group): HealthCheck {
  const name = 'Truncated'
  const recent = iterations.slice(-recentIterations)
  const detail = `Rollouts cut at a limit in the last ${recent.length} iterations. Amber above 10%, red above 50%.`
  const all = recent.reduce((sum, point) => sum + point.rollouts, 0)
  if (all === 0) return waiting(name, detail)
  const cut = recent.reduce((sum, point) => sum + point.truncated, 0)
  const share = cut / all
  const state = share <= 0.1 ? 'good' : share <= 0.5 ? 'watch' : 'bad'
  return { name, state, figure: `${percent(share, 0)}, ${integer(cut)} of ${integer(all)}`, detail }
}

/** Before the first update nothing has been learned yet: log-probs taken again must equal those of the sampling. */
function sampling({ updates }: Group): HealthCheck {
  const name = 'Sampling agrees'
  const detail =
    'Largest difference between the log-probs of the sampling and those computed again before the first update: rounding only. Amber above 0.001, red above 0.1.'
  const value = updates.find(({ update }) => update === 1)?.old_logprob_max_difference
  if (value === undefined) return waiting(name, detail)
  return { name, state: value <= 1e-3 ? 'good' : value <= 0.1 ? 'watch' : 'bad', figure: significant(value), detail }
}
