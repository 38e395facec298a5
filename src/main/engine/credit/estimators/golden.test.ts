/** Every formula against numbers that were computed elsewhere, at 1e-10 of the largest input. */
import { describe, expect, test } from 'vitest'
import { advantageTrace, chainOf, constant } from './advantage-trace.ts'
import { groupNormalised, leaveOneOut, meanCentred } from './baselines.ts'
import { gatedAdvantage } from './comp-gae.ts'
import { discountSegments, segmentFactors } from './compaction.ts'
import { actionCredits, actionMeanSurrogate, tokenWeights } from './factor.ts'
import { criticality, stepWeight } from './gaca.ts'
import { chainAdvantage, generalisedAdvantage } from './gae.ts'
import { boundedMix, distillationAdvantages } from './gamma-opd.ts'
import { bellmanAdvantages, bellmanGraph } from './gated-bepo.ts'
import { episodeAdvantages, stepAdvantages } from './gigpo.ts'
import { type GoldenCases, golden } from './golden-cases.ts'
import { broadcastCoefficients } from './monte-carlo.ts'
import { ontoSteps } from './placement.ts'
import { shapedRewards, shapedValues } from './potential-shaping.ts'
import { retentionGate } from './retention-gate.ts'
import { rewardToGo } from './reward-to-go.ts'

type Numbers = readonly number[]
type Rows = readonly Numbers[]

/** Largest absolute number anywhere in the inputs and expectations. */
function largest(value: unknown): number {
  if (typeof value === 'number') return Math.abs(value)
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce<number>((most, part) => Math.max(most, largest(part)), 0)
}

let tolerance = 0
const given = (input: unknown) => {
  tolerance = 1e-10 * Math.max(1, largest(input))
}
function close(actual: number, expected: number) {
  expect(Math.abs(actual - expected), `${actual} is not ${expected}`).toBeLessThanOrEqual(tolerance)
}
function closeList(actual: Numbers, expected: Numbers) {
  expect(actual).toHaveLength(expected.length)
  expected.forEach((value, i) => {
    close(actual[i]!, value)
  })
}
function closeRows(actual: Rows, expected: Rows) {
  expect(actual).toHaveLength(expected.length)
  expected.forEach((row, i) => {
    closeList(actual[i]!, row)
  })
}
const flags = (list: Numbers) => list.map((value) => value === 1)
const ended = { terminal: true, value: 0 }
const cutAt = (value: number) => (value === 0 ? ended : { terminal: false, value })

type CaseLists = {
  [Name in keyof GoldenCases as GoldenCases[Name] extends readonly unknown[] ? Name : never]: GoldenCases[Name]
}
function cases<Name extends keyof CaseLists>(name: Name, check: (given: CaseLists[Name][number]) => void) {
  describe(name, () => {
    const list: readonly CaseLists[Name][number][] = golden[name]
    expect(list.length).toBeGreaterThan(0)
    list.forEach((one, i) => {
      test((one as { name?: string }).name ?? `case ${i}`, () => {
        given(one)
        check(one)
      })
    })
  })
}

cases('rloo', ({ rewards, advantages }) => closeList(leaveOneOut(rewards), advantages))
cases('group_mean_centered', ({ rewards, advantages }) => closeList(meanCentred(rewards), advantages))
cases('grpo', ({ rewards, eps, ddof, advantages }) => closeList(groupNormalised(rewards, ddof, eps), advantages))

cases('monte_carlo_broadcast', (one) => {
  const advantages = leaveOneOut(one.rewards)
  closeList(advantages, one.advantages)
  const { token_sum, token_mean } = broadcastCoefficients(advantages, one.response_lengths)
  closeList(token_sum, one.token_sum_coefficient_per_response)
  closeList(token_mean, one.token_mean_coefficient_per_response)
})

cases('reward_to_go', ({ rewards, gamma, returns }) => closeList(rewardToGo(rewards, gamma), returns))

cases('td_gae', (one) => {
  const trace = generalisedAdvantage(
    {
      rewards: one.rewards,
      values: one.values,
      nextValues: one.next_values,
      terminal: flags(one.terminal),
      cut: flags(one.truncated),
    },
    one.gamma,
    one.lambda,
  )
  closeList(trace.deltas, one.deltas)
  closeList(trace.advantages, one.advantages)
  closeList(trace.returns, one.returns)
})

cases('skip_observation_gae', (one) => {
  const actions = flags(one.action_mask)
  const { advantages } = chainAdvantage(
    ontoSteps(one.rewards, actions),
    one.values.filter((_, t) => actions[t]),
    cutAt(one.bootstrap_value),
    one.gamma,
    one.lambda,
  )
  closeList(
    advantages,
    one.advantages.filter((_, t) => actions[t]),
  )
  expect(one.advantages.every((value, t) => actions[t] || value === 0)).toBe(true)
})

cases('turn_gae', (one) => {
  const { advantages } = chainAdvantage(one.turn_rewards, one.turn_values, ended, one.gamma, one.lambda)
  closeList(advantages, one.turn_advantages)
})

cases('compaction_discount', (one) => {
  closeList(
    segmentFactors(
      one.local_advantages.map((segment) => segment.length),
      one.discount,
    ),
    one.segment_factors,
  )
  closeRows(discountSegments(one.local_advantages, one.discount), one.advantages)
  if (one.segments === undefined) return
  const local = one.segments.map(({ optimised_mask, rewards, values }) => {
    const actions = flags(optimised_mask)
    const kept = values.filter((_, t) => actions[t])
    return chainAdvantage(ontoSteps(rewards, actions), kept, ended, one.gamma!, one.lambda!).advantages
  })
  closeRows(local, one.local_advantages)
})

cases('comp_gae', (one) => {
  const end = { terminal: one.terminal_last, value: one.bootstrap_value }
  const trace = gatedAdvantage(chainOf(one.rewards, one.values, end), one.gate, one.lambda)
  closeList(trace.deltas, one.deltas)
  closeList(trace.advantages, one.advantages)
})

test('retention gate from given concentrations', () => {
  const one = golden.retention_gate
  given(one)
  const layers = one.concentration_per_layer
  const averaged = layers[0]!.map((_, t) => layers.reduce((sum, row) => sum + row[t]!, 0) / layers.length)
  closeList(averaged, one.concentration_mean_over_layers)
  closeList(
    averaged.map((c) => retentionGate(c, one.g_min, one.g_max)),
    one.gate_for_query_position,
  )
})

cases('gigpo', (one) => {
  const normalise = one.mode === 'mean_norm' ? 'mean' : 'mean-std'
  const episode = episodeAdvantages(
    one.trajectories.map(({ episode_reward }) => episode_reward),
    normalise,
  )
  closeList(episode, one.episode)
  const returns = one.trajectories.map(({ rewards }) => rewardToGo(rewards, one.gamma))
  closeRows(returns, one.returns)
  const step = stepAdvantages(
    returns,
    one.trajectories.map(({ anchors }) => anchors),
    normalise,
  )
  closeRows(step, one.step)
  closeRows(
    step.map((row, i) => row.map((value) => episode[i]! + one.omega * value)),
    one.total,
  )
})

cases('gaca', (one) => {
  const z = criticality(one.step_nll)
  closeRows(z, one.z)
  const w = z.map((row) => row.map((value) => stepWeight(value, one.omega0, one.kappa)))
  closeRows(w, one.w)
  closeRows(
    w.map((row, i) => row.map((weight, k) => (1 - weight) * one.episode[i]! + weight * one.step[i]![k]!)),
    one.total,
  )
})

cases('gated_bepo', (one) => {
  const graph = bellmanGraph(one.trajectories, one.gamma)
  expect(Object.fromEntries(graph.successors)).toEqual(one.successors)
  expect([...graph.values.keys()].sort()).toEqual(Object.keys(one.V).sort())
  for (const [state, value] of Object.entries(one.V)) close(graph.values.get(state)!, value)
  const traces = one.trajectories.map((walk) => bellmanAdvantages(walk, graph, one.gamma, one.lambda))
  closeRows(
    traces.map(({ deltas }) => deltas),
    one.delta,
  )
  closeRows(
    traces.map(({ advantages }) => advantages),
    one.bellman,
  )
  closeRows(
    traces.map(({ advantages }, i) =>
      advantages.map((value, k) => {
        const open = graph.successors.get(one.trajectories[i]!.states[k]!)! >= 2 ? 1 : 0
        return one.episode[i]! + one.omega * open * value
      }),
    ),
    one.total,
  )
})

cases('factor', (one) => {
  const credits = actionCredits(one.action_rewards, one.checkpoint_values, 0)
  closeList(credits, one.action_credit)
  close(
    credits.reduce((sum, credit) => sum + credit, 0),
    one.trajectory_advantage,
  )
  const weights = credits.map((credit, k) => tokenWeights(credit, one.likelihood_gaps[k]!, one.tau))
  closeRows(weights, one.weights)
  const tokens = weights.map((row, k) => row.map((weight) => weight * credits[k]!))
  closeRows(tokens, one.token_credit)
  const { perAction, surrogate } = actionMeanSurrogate(
    tokens,
    tokens.map((row) => constant(1, row)),
  )
  closeList(perAction, one.surrogate_action_mean)
  close(surrogate, one.surrogate)
})

cases('gamma_opd', (one) => {
  const { rewards, advantages } = distillationAdvantages(one.logp_student, one.logp_teacher, one.gamma)
  closeList(rewards, one.token_rewards)
  closeList(advantages, one.opd_advantages)
  closeList(boundedMix(one.outcome_advantage, advantages, one.alpha, one.bound), one.mixed)
})

describe('potential_shaping', () => {
  test.each(golden.potential_shaping.trajectories)('$name', (one) => {
    given(one)
    const shaped = shapedRewards(one.rewards, one.phi, one.gamma)
    closeList(shaped, one.shaped_rewards)
    close(rewardToGo(one.rewards, one.gamma)[0]!, one.return)
    close(rewardToGo(shaped, one.gamma)[0]!, one.shaped_return)
    const plain = chainAdvantage(one.rewards, one.values, ended, one.gamma, one.lambda).advantages
    closeList(plain, one.gae_unshaped)
    const moved = shapedValues(one.values, one.phi)
    closeList(chainAdvantage(shaped, moved, ended, one.gamma, one.lambda).advantages, one.gae_shaped_with_V_minus_phi)
  })

  test('the optimum of a decision process stays, a bonus that is no potential moves it', () => {
    const { mdp } = golden.potential_shaping
    given(mdp)
    const next = mdp.next_state
    const ends = new Set<number>(mdp.terminal_states)
    const optimal = (reward: Rows) => {
      let q = reward.map((row) => row.map(() => 0))
      for (let sweep = 0; sweep < 2000; sweep++) {
        const best = q.map((row, s) => (ends.has(s) ? 0 : Math.max(...row)))
        q = reward.map((row, s) => row.map((r, a) => (ends.has(s) ? 0 : r + mdp.gamma * best[next[s]![a]!]!)))
      }
      return q
    }
    // Near-ties of rounding go to the lower action, as in the golden numbers.
    const policy = (q: Rows) => q.map((row) => row.findIndex((value) => value > Math.max(...row) - 1e-9))
    const { reward } = mdp
    const q = optimal(reward)
    closeRows(q, mdp.Q)
    expect(policy(q)).toEqual(mdp.policy)
    const shaped = reward.map((row, s) =>
      row.map((r, a) => (ends.has(s) ? 0 : shapedRewards([r], [mdp.phi[s]!, mdp.phi[next[s]![a]!]!], mdp.gamma)[0]!)),
    )
    closeRows(shaped, mdp.shaped_reward)
    const qShaped = optimal(shaped)
    closeRows(qShaped, mdp.Q_shaped)
    closeRows(
      qShaped,
      q.map((row, s) => row.map((value) => (ends.has(s) ? 0 : value - mdp.phi[s]!))),
    )
    expect(policy(qShaped)).toEqual(mdp.policy_shaped)
    const bonus = mdp.non_potential_bonus
    const farmed = optimal(reward.map((row, s) => row.map((r, a) => r + bonus[s]![a]!)))
    expect(policy(farmed)).toEqual(mdp.policy_with_bonus)
  })
})

test('lists of unequal length are refused', () => {
  expect(() => advantageTrace(chainOf([1, 2], [0, 0], ended), [1], 1)).toThrow('1 numbers for 2 steps')
})
