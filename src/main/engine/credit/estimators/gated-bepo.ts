/** Bellman credit on the graph of states that a group visited, used only where the group saw more than one way on. */
import { BadInput } from '../../../../shared/bad-input.ts'
import { advantageTrace, constant } from './advantage-trace.ts'
import { groupNormalised } from './baselines.ts'
import { solveLinear } from './linear-solve.ts'
import type { Method, Rollout } from './method.ts'
import { overTokens, turnRewards } from './placement.ts'
import { refuse, turnField } from './recorded.ts'

/**
 * Distinct states of one group. The solve is dense: n² numbers twice and about n³/3 multiplications, which at this size is
 * 64 MB and a few seconds. States that hardly any two visits share say nothing of each other in any case.
 */
export const mostStates = 2000

export interface Walk {
  readonly states: readonly string[]
  /** Of leaving each state. */
  readonly rewards: readonly number[]
  /** State after the last step; null is the end. */
  readonly final: string | null
}

export interface RolloutGraph {
  /** V of every state that was left at least once. */
  readonly values: ReadonlyMap<string, number>
  /** Distinct successors of each; the end counts as one. */
  readonly successors: ReadonlyMap<string, number>
}

/**
 * The mean-backup Bellman fixed point `V(s) = mean over the visits of s of [r + γV(s')]`, V(end) = 0, by one linear
 * solve. A state that nobody left has V = 0.
 * @throws RangeError naming states whose value is not defined: at γ = 1, a loop that no walk leaves
 */
export function bellmanGraph(walks: readonly Walk[], gamma: number): RolloutGraph {
  const visits = new Map<string, { reward: number; next: string | null }[]>()
  for (const { states, rewards, final } of walks) {
    states.forEach((state, k) => {
      const list = visits.get(state) ?? []
      list.push({ reward: rewards[k]!, next: k + 1 < states.length ? states[k + 1]! : final })
      visits.set(state, list)
    })
  }
  if (gamma === 1) requireWayOut(visits)
  const states = [...visits.keys()]
  const indexOf = new Map(states.map((state, i) => [state, i]))
  const matrix = states.map((_, i) => states.map((_, j) => (i === j ? 1 : 0)))
  const rewards = states.map((state, i) => {
    const own = visits.get(state)!
    for (const { next } of own) {
      const j = next === null ? undefined : indexOf.get(next)
      if (j !== undefined) matrix[i]![j]! -= gamma / own.length
    }
    return own.reduce((sum, { reward }) => sum + reward, 0) / own.length
  })
  const solution = solveLinear(matrix, rewards)
  return {
    values: new Map(states.map((state, i) => [state, solution[i]!])),
    successors: new Map(states.map((state) => [state, new Set(visits.get(state)!.map(({ next }) => next)).size])),
  }
}

function requireWayOut(visits: ReadonlyMap<string, readonly { readonly next: string | null }[]>): void {
  const out = new Set<string>()
  for (let grown = true; grown; ) {
    grown = false
    for (const [state, own] of visits) {
      if (out.has(state) || !own.some(({ next }) => next === null || !visits.has(next) || out.has(next))) continue
      out.add(state)
      grown = true
    }
  }
  const closed = [...visits.keys()].filter((state) => !out.has(state))
  if (closed.length > 0) {
    throw new RangeError(`no walk leaves the states ${closed.slice(0, 3).join(', ')}: at γ = 1 they have no value`)
  }
}

/** GAE along a walk with the graph's values: `δ_k = r_k + γV(s_{k+1}) − V(s_k)`. */
export function bellmanAdvantages(
  { states, rewards, final }: Walk,
  graph: RolloutGraph,
  gamma: number,
  lambda: number,
) {
  const stateValue = (state: string | null) => (state === null ? 0 : (graph.values.get(state) ?? 0))
  const last = states.length - 1
  return advantageTrace(
    {
      rewards,
      values: states.map(stateValue),
      nextValues: states.map((_, k) => stateValue(k === last ? final : states[k + 1]!)),
      terminal: states.map((_, k) => k === last && final === null),
      cut: states.map((_, k) => k === last && final !== null),
    },
    constant(gamma, states),
    lambda,
  )
}

function walkOf(rollout: Rollout): Walk {
  const { terminated, final_state_key: final } = rollout.trajectory
  if (final === undefined && !terminated) {
    refuse(rollout, 'gated-bepo needs final_state_key, since the rollout did not terminate')
  }
  return {
    states: turnField(rollout, 'state_key', 'gated-bepo'),
    rewards: turnRewards(rollout),
    final: final ?? null,
  }
}

export const gatedBepo: Method = {
  name: 'gated-bepo',
  formula:
    'A = A^E + ω·1[successors(s_k) ≥ 2]·A^B;  V(s) = mean of [r + γV(s′)] over visits;  A^B: GAE of δ_k = r_k + γV(s_{k+1}) − V(s_k)',
  step: 'one assistant turn with the observations after it',
  reads: 'both',
  needs: ['state_key (assistant)', 'final_state_key (where not terminated)'],
  settings: ['gamma', 'lambda', 'omega', 'std_ddof', 'epsilon'],
  conventions: {
    episode: 'A^E is GRPO over the group',
    graph: 'repeated visits weigh; a final state that nobody left has V 0; the end is one successor',
    gate: 'hard, on the fused credit; the trace is not gated',
  },
  source: 'Gated-BEPO',
  cannotClaim: 'values beyond the rollouts seen: V is of this group and its few visits',
  estimate: (group, settings) => {
    const walks = group.map(walkOf)
    const { gamma, lambda, omega } = settings
    const graph = graphOf(group, walks, gamma)
    const episode = groupNormalised(
      group.map(({ outcome }) => outcome),
      settings.std_ddof === 0 ? 0 : 1,
      settings.epsilon,
    )
    return group.map(({ trajectory }, i) => {
      const walk = walks[i]!
      const bellman = bellmanAdvantages(walk, graph, gamma, lambda)
      const gates = walk.states.map((state) => (graph.successors.get(state)! >= 2 ? 1 : 0))
      return {
        advantages: overTokens(
          trajectory,
          gates.map((gate, k) => episode[i]! + omega * gate * bellman.advantages[k]!),
        ),
        returns: overTokens(trajectory, bellman.returns),
        perToken: {
          state_value: overTokens(
            trajectory,
            walk.states.map((state) => graph.values.get(state)!),
          ),
          gate: overTokens(trajectory, gates),
        },
      }
    })
  },
}

function graphOf(group: readonly Rollout[], walks: readonly Walk[], gamma: number): RolloutGraph {
  const { file, trajectory } = group[0]!
  const states = new Set(walks.flatMap((walk) => walk.states)).size
  if (states > mostStates) {
    throw new BadInput(
      file,
      `gated-bepo solves one dense system over the states of a group, of which there are ${states} here and may be ${mostStates}; name states more coarsely or take smaller groups`,
      `group ${trajectory.group}`,
    )
  }
  try {
    return bellmanGraph(walks, gamma)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return refuse(group[0]!, `gated-bepo: in its group ${error.message}; take a gamma below 1`)
  }
}
