/** TD residuals and generalised advantage estimation, a token a step. */
import { advantageTrace, type ChainEnd, chainOf, constant, type Steps, type Trace } from './advantage-trace.ts'
import { eachRollout, type Method, type Rollout } from './method.ts'
import { type ChainStep, valuedChain } from './placement.ts'
import { actionNumbers, ending, refuse } from './recorded.ts'

/**
 *     δ_t = r_t + γ (1 − terminal_t) V_{t+1} − V_t
 *     A_t = δ_t + γλ (1 − terminal_t)(1 − cut_t) A_{t+1}
 *
 * Schulman et al. 2016. Episodes may be packed one after the other: no trace crosses an end or a cut.
 */
export function generalisedAdvantage(steps: Steps, gamma: number, lambda: number): Trace {
  return advantageTrace(steps, constant(gamma, steps.rewards), lambda)
}

/** The same over one unbroken chain; `end.value` is V where it was cut. */
export function chainAdvantage(
  rewards: readonly number[],
  values: readonly number[],
  end: ChainEnd,
  gamma: number,
  lambda: number,
): Trace {
  return generalisedAdvantage(chainOf(rewards, values, end), gamma, lambda)
}

function traceOf(rollout: Rollout, method: string, gamma: number, lambda: number) {
  actionNumbers(rollout, 'values', method)
  requireEvenObservations(rollout, method)
  const chain = valuedChain(rollout)
  const rewards = chain.map(({ reward }) => reward)
  const values = chain.map(({ value }) => value!)
  return { chain, values, trace: chainAdvantage(rewards, values, ending(rollout, method), gamma, lambda) }
}

/** Observations of one rollout are steps or not, never some. What stands after the last action may go without. */
function requireEvenObservations(rollout: Rollout, method: string): void {
  const { turns } = rollout.trajectory
  const isAction = (turn: (typeof turns)[number]) => turn.role === 'assistant' && (turn.token_ids?.length ?? 0) > 0
  const first = turns.findIndex(isAction)
  const last = turns.findLastIndex(isAction)
  const between = turns
    .map((turn, at) => ({ turn, at }))
    .filter(({ turn, at }) => at > first && at < last && turn.role !== 'assistant' && turn.token_ids?.length)
  const valued = between.find(({ turn }) => turn.values !== undefined)
  const bare = between.find(({ turn }) => turn.values === undefined)
  if (valued !== undefined && bare !== undefined) {
    refuse(
      rollout,
      `${method} needs values in turns[${bare.at}] as in turns[${valued.at}], or in no observation; gae-skip-observation reads none`,
    )
  }
}

const onActions = (chain: readonly ChainStep[], list: readonly number[]) => list.filter((_, t) => chain[t]!.action)

const step = 'one token; observation tokens are steps where their turn records values, else they take none'
const needs = ['values (assistant)', 'bootstrap_value (where not terminated)']
const conventions = {
  truncation: 'bootstraps from bootstrap_value; the trace ends there',
  whitening: 'none',
}

export const td: Method = {
  name: 'td',
  formula: 'A_t = δ_t = r_t + γ(1 − terminal_t)V_{t+1} − V_t',
  step,
  reads: 'step',
  needs,
  settings: ['gamma'],
  conventions,
  source: 'Sutton 1988',
  cannotClaim: 'more than the critic knows: a wrong value is a wrong credit',
  estimate: eachRollout((rollout, { gamma }) => {
    const { chain, values, trace } = traceOf(rollout, 'td', gamma, 0)
    const targets = trace.deltas.map((delta, t) => delta + values[t]!)
    return { advantages: onActions(chain, trace.deltas), returns: onActions(chain, targets) }
  }),
}

export const gae: Method = {
  name: 'gae',
  formula: 'δ_t = r_t + γ(1 − terminal_t)V_{t+1} − V_t;  A_t = δ_t + γλ(1 − terminal_t)A_{t+1}',
  step,
  reads: 'step',
  needs,
  settings: ['gamma', 'lambda'],
  conventions,
  source: 'Schulman et al. 2016',
  cannotClaim: 'that early tokens of long rollouts hear of the end: its residual reaches them times (γλ)^distance',
  estimate: eachRollout((rollout, { gamma, lambda }) => {
    const { chain, trace } = traceOf(rollout, 'gae', gamma, lambda)
    return { advantages: onActions(chain, trace.advantages), returns: onActions(chain, trace.returns) }
  }),
}
