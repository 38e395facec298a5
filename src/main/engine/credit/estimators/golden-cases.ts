/** For tests: the golden cases of the estimators, with their shapes. */
import { readFileSync } from 'node:fs'

type Numbers = readonly number[]
type Rows = readonly Numbers[]

interface Outcomes {
  readonly rewards: Numbers
  readonly advantages: Numbers
}
interface Traced extends Outcomes {
  readonly name: string
  readonly values: Numbers
  readonly lambda: number
}
export interface GoldenWalk {
  readonly states: readonly string[]
  readonly rewards: Numbers
  readonly final: string | null
}

export interface GoldenCases {
  readonly rloo: readonly Outcomes[]
  readonly group_mean_centered: readonly Outcomes[]
  readonly grpo: readonly (Outcomes & { readonly eps: number; readonly ddof: 0 | 1 })[]
  readonly monte_carlo_broadcast: readonly (Outcomes & {
    readonly response_lengths: Numbers
    readonly token_sum_coefficient_per_response: Numbers
    readonly token_mean_coefficient_per_response: Numbers
  })[]
  readonly reward_to_go: readonly { readonly rewards: Numbers; readonly gamma: number; readonly returns: Numbers }[]
  readonly td_gae: readonly (Traced & {
    readonly next_values: Numbers
    readonly terminal: Numbers
    readonly truncated: Numbers
    readonly gamma: number
    readonly deltas: Numbers
    readonly returns: Numbers
  })[]
  readonly skip_observation_gae: readonly (Traced & {
    readonly action_mask: Numbers
    readonly gamma: number
    readonly bootstrap_value: number
  })[]
  readonly turn_gae: readonly {
    readonly name: string
    readonly turn_rewards: Numbers
    readonly turn_values: Numbers
    readonly turn_of_token: Numbers
    readonly action_mask: Numbers
    readonly gamma: number
    readonly lambda: number
    readonly turn_advantages: Numbers
    readonly token_advantages: Numbers
  }[]
  readonly compaction_discount: readonly {
    readonly name: string
    readonly segments?: readonly {
      readonly optimised_mask: Numbers
      readonly rewards: Numbers
      readonly values: Numbers
    }[]
    readonly gamma?: number
    readonly lambda?: number
    readonly local_advantages: Rows
    readonly discount: number
    readonly segment_factors: Numbers
    readonly advantages: Rows
  }[]
  readonly comp_gae: readonly (Traced & {
    readonly gate: Numbers
    readonly terminal_last: boolean
    readonly bootstrap_value: number
    readonly deltas: Numbers
  })[]
  readonly retention_gate: {
    readonly g_min: number
    readonly g_max: number
    readonly concentration_per_layer: Rows
    readonly concentration_mean_over_layers: Numbers
    readonly gate_for_query_position: Numbers
  }
  readonly gigpo: readonly {
    readonly name: string
    readonly trajectories: readonly {
      readonly rewards: Numbers
      readonly anchors: readonly string[]
      readonly episode_reward: number
    }[]
    readonly gamma: number
    readonly omega: number
    readonly mode: 'mean_norm' | 'mean_std_norm'
    readonly episode: Numbers
    readonly returns: Rows
    readonly step: Rows
    readonly total: Rows
  }[]
  readonly gaca: readonly {
    readonly name: string
    readonly episode: Numbers
    readonly step: Rows
    readonly step_nll: Rows
    readonly omega0: number
    readonly kappa: number
    readonly z: Rows
    readonly w: Rows
    readonly total: Rows
  }[]
  readonly gated_bepo: readonly {
    readonly name: string
    readonly trajectories: readonly GoldenWalk[]
    readonly episode: Numbers
    readonly gamma: number
    readonly lambda: number
    readonly omega: number
    readonly V: Readonly<Record<string, number>>
    readonly successors: Readonly<Record<string, number>>
    readonly delta: Rows
    readonly bellman: Rows
    readonly total: Rows
  }[]
  readonly factor: readonly {
    readonly name: string
    readonly action_rewards: Numbers
    readonly checkpoint_values: Numbers
    readonly likelihood_gaps: Rows
    readonly tau: number
    readonly action_credit: Numbers
    readonly weights: Rows
    readonly token_credit: Rows
    readonly trajectory_advantage: number
    readonly surrogate_action_mean: Numbers
    readonly surrogate: number
  }[]
  readonly gamma_opd: readonly {
    readonly name: string
    readonly logp_student: Numbers
    readonly logp_teacher: Numbers
    readonly gamma: number
    readonly outcome_advantage: number
    readonly alpha: number
    readonly bound: number
    readonly token_rewards: Numbers
    readonly opd_advantages: Numbers
    readonly mixed: Numbers
  }[]
  readonly potential_shaping: {
    readonly trajectories: readonly {
      readonly name: string
      readonly rewards: Numbers
      readonly phi: Numbers
      readonly values: Numbers
      readonly gamma: number
      readonly lambda: number
      readonly shaped_rewards: Numbers
      readonly return: number
      readonly shaped_return: number
      readonly gae_unshaped: Numbers
      readonly gae_shaped_with_V_minus_phi: Numbers
    }[]
    readonly mdp: {
      readonly next_state: Rows
      readonly reward: Rows
      readonly gamma: number
      readonly terminal_states: Numbers
      readonly phi: Numbers
      readonly Q: Rows
      readonly policy: Numbers
      readonly shaped_reward: Rows
      readonly Q_shaped: Rows
      readonly policy_shaped: Numbers
      readonly non_potential_bonus: Rows
      readonly policy_with_bonus: Numbers
    }
  }
}

export const golden: GoldenCases = JSON.parse(
  readFileSync(new URL('../../../../../test/golden/credit/estimators.json', import.meta.url), 'utf8'),
)
