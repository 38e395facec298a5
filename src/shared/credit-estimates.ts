/** Answers of the credit laboratory that need no model: estimates, comparisons, diagnoses, induced process rewards. */

/** Mean and population deviation (ddof 0); null where there is nothing to average. */
export interface Spread {
  readonly mean: number | null
  readonly std: number | null
  readonly n: number
}

/** A turn is one assistant turn; a response all assistant turns that answer one user turn; an episode the rollout. */
export const creditScales = ['token', 'turn', 'response', 'episode'] as const
export type CreditScale = (typeof creditScales)[number]
export type SpreadByScale = Readonly<Record<CreditScale, Spread>>

export interface TokenCredit {
  /** Zero-based, in `turns`. */
  readonly turn: number
  /** Zero-based, in that turn's `token_ids`. */
  readonly index: number
  readonly advantage: number
  /** What the method compares with its baseline. */
  readonly return: number
  /** Further numbers of the method, such as `gate` or `option_advantage`. */
  readonly [more: string]: number
}

/** Why a rollout gets no advantage and counts in no mean. */
export type Absence = 'abstained' | 'environment_failure'

export interface RolloutEstimate {
  readonly id: string
  readonly group: string
  /** Present where the grade says nothing about the policy; then there are no tokens. */
  readonly abstained?: true
  readonly absence?: Absence
  /** Every assistant token. */
  readonly tokens: readonly TokenCredit[]
  /** Numbers of the whole rollout, such as `coefficient` or `options`. */
  readonly [more: string]: unknown
}

/** `credit estimate`: one estimator over stored trajectories. */
export interface CreditEstimate {
  readonly method: string
  readonly parameters: Readonly<Record<string, unknown>>
  readonly formula: string
  /** Choices that other implementations make differently. */
  readonly conventions: Readonly<Record<string, string | number>>
  readonly source: string
  readonly cannot_claim: string
  readonly notes: readonly string[]
  readonly trajectories: readonly RolloutEstimate[]
  readonly summary: SpreadByScale
}

export interface ComparedToken {
  readonly id: string
  readonly turn: number
  readonly index: number
  /** By label of the method. */
  readonly advantages: Readonly<Record<string, number>>
}

/** A token that two methods place far apart. Ranks are shares of all tokens, 0 lowest, 1 highest. */
export interface RankGap {
  readonly id: string
  readonly turn: number
  readonly index: number
  readonly advantages: readonly [number, number]
  readonly ranks: readonly [number, number]
}

export interface ComparedPair {
  readonly a: string
  readonly b: string
  readonly tokens: number
  /** Spearman's, ties by their mean rank; null where a method gives every token the same. */
  readonly rank_correlation: number | null
  /** Share of tokens with equal signs, 0 being a sign of its own; null without tokens. */
  readonly sign_agreement: number | null
  /** Tokens to which one gives a positive, the other a negative advantage. */
  readonly opposite_signs: number
  /** Largest first. */
  readonly differ_most: readonly RankGap[]
}

/** `credit compare`: several estimators on the same tokens. */
export interface CreditComparison {
  readonly tokens: number
  /** Rollouts that were not graded and count nowhere. */
  readonly abstained: readonly string[]
  readonly methods: readonly {
    /** As asked for: `gae`, or `monte-carlo:rloo` where the baseline is part of the name. */
    readonly label: string
    readonly method: string
    readonly parameters: Readonly<Record<string, unknown>>
    readonly formula: string
    readonly conventions: Readonly<Record<string, string | number>>
    readonly notes: readonly string[]
    readonly summary: SpreadByScale
  }[]
  readonly pairs: readonly ComparedPair[]
  readonly advantages: readonly ComparedToken[]
}

/** `credit process-reward`: whether prefixes shared by a group's rollouts say anything about its tokens. */
export interface ProcessRewardGroup {
  readonly group: string
  /** Graded ones. */
  readonly rollouts: number
  readonly abstained: number
  /** Trained positions of the graded rollouts. */
  readonly positions: number
  /** Mean outcome: the process value before the first token. */
  readonly root_value: number | null
  /** Tokens after the prompt that all graded rollouts of the group begin with; 0 where there is only one. */
  readonly longest_common_prefix: number
  /** 1 + the longest prefix, after the prompt, that a rollout shares with any other, averaged; null without graded rollouts. */
  readonly mean_divergence_depth: number | null
  /** Share of trained positions after which at least two rollouts are still together. */
  readonly informative_fraction: number
  readonly zero_reward_fraction: number
  readonly killed: boolean
  /** Why; null where it is not. */
  readonly reason: string | null
}

/** Process reward of each trained token: `reward` = q after it − q before it. */
export interface ProcessRewardToken {
  readonly turn: number
  readonly index: number
  readonly reward: number
  /** q: mean outcome of the rollouts that share the prefix up to and with this token. */
  readonly value: number
  /** How many do. */
  readonly count: number
}

export interface ProcessReward {
  readonly groups: readonly ProcessRewardGroup[]
  readonly killed_groups: number
  /** `refused` where every group is killed, `partial` where some are, `informative` where none is. */
  readonly verdict: 'refused' | 'partial' | 'informative'
  /** Null where nothing needs it. */
  readonly remedy: string | null
  /** Rollouts left out of every mean and count. */
  readonly abstained: number
  readonly mean_zero_reward_fraction: number | null
  readonly max_informative_fraction: number | null
  readonly formula: string
  readonly notes: readonly string[]
  /** Only where asked for. */
  readonly trajectories?: readonly { readonly id: string; readonly tokens: readonly ProcessRewardToken[] }[]
}

/** `credit diagnose`. `skipped`: the file does not record what the check reads. */
export interface Diagnosis {
  readonly id: string
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped'
  /** The one number to watch; its meaning stands in `detail`. */
  readonly figure: number | null
  readonly detail: string
  /** What the figure is made of. */
  readonly data?: Readonly<Record<string, unknown>>
}
export interface CreditDiagnosis {
  readonly method: string
  readonly parameters: Readonly<Record<string, unknown>>
  readonly rollouts: number
  readonly checks: readonly Diagnosis[]
}
