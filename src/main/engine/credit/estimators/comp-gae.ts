/** GAE whose coefficient is a gate of the policy's own computation, token by token, in the bootstrap and in the trace. */
import { advantageTrace, chainOf, type Steps, type Trace } from './advantage-trace.ts'
import { eachRollout, type Method, type Rollout } from './method.ts'
import { actionRewards } from './placement.ts'
import { actionNumbers, ending, refuse } from './recorded.ts'
import { retentionGate } from './retention-gate.ts'
import { defaultGate, type Settings } from './settings.ts'

/**
 *     δ_t = r_t + g_t (1 − terminal_t) V_{t+1} − V_t
 *     A_t = δ_t + g_t λ (1 − terminal_t) A_{t+1}
 *
 * The gate stands where γ stands in GAE: constant gates of γ are GAE.
 */
export function gatedAdvantage(steps: Steps, gates: readonly number[], lambda: number): Trace {
  return advantageTrace(steps, gates, lambda)
}

/** Null where `retention` is the gate itself. */
function gateBounds({ gate_min, gate_max }: Settings): { least: number; most: number } | null {
  if (gate_min === null && gate_max === null) return null
  return { least: gate_min ?? defaultGate.least, most: gate_max ?? defaultGate.most }
}

function gatesOf(rollout: Rollout, settings: Settings): number[] {
  const retention = actionNumbers(rollout, 'retention', 'comp-gae')
  const bounds = gateBounds(settings)
  if (bounds !== null) return retention.map((c) => retentionGate(c, bounds.least, bounds.most))
  const outside = retention.find((gate) => gate < 0 || gate > 1)
  if (outside !== undefined) {
    refuse(rollout, `a retention of ${outside} is no gate, which lies in 0 to 1; for concentrations give gate_min`)
  }
  return retention
}

export const compGae: Method = {
  name: 'comp-gae',
  formula: 'δ_t = r_t + g_t(1 − terminal_t)V_{t+1} − V_t;  A_t = δ_t + g_tλ(1 − terminal_t)A_{t+1}',
  step: 'one action token; observations take no step; g_t stands for γ',
  reads: 'step',
  needs: ['values (assistant)', 'retention (assistant)', 'bootstrap_value (where not terminated)'],
  settings: ['lambda', 'gate_min', 'gate_max'],
  conventions: { truncation: 'bootstraps from bootstrap_value', whitening: 'none', gate: 'detached: no gradient' },
  source: 'CompPO (computation-conditioned credit transport)',
  cannotClaim: 'that attention says where credit belongs: the gate is a statistic of the computation, not a cause',
  parameters: (settings) => {
    const bounds = gateBounds(settings)
    const read: Record<string, string | number> = { lambda: settings.lambda }
    if (bounds === null) return { ...read, retention: 'read as the gate' }
    return { ...read, retention: 'read as a concentration', gate_min: bounds.least, gate_max: bounds.most }
  },
  estimate: eachRollout((rollout, settings) => {
    const values = actionNumbers(rollout, 'values', 'comp-gae')
    const gates = gatesOf(rollout, settings)
    const steps = chainOf(actionRewards(rollout), values, ending(rollout, 'comp-gae'))
    const { advantages, returns } = gatedAdvantage(steps, gates, settings.lambda)
    return { advantages, returns, perToken: { gate: gates } }
  }),
}
