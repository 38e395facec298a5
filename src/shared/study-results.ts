/**
 * The results of a study as they are stored, printed and drawn. Field names are those of the reference study;
 * the learned score is the *predicted simulated preference*, never usefulness or human satisfaction.
 */

/** The finite-grammar rubric's verdict on one response. UNCERTIFIED is not wrong, but never a success. */
export interface RubricVerdict {
  readonly recognized: boolean
  readonly status: 'CERTIFIED' | 'RECOGNIZED' | 'UNCERTIFIED'
  readonly reason: string | null
  readonly action: number | null
  readonly certainty: number | null
  readonly polite: boolean
  readonly relevant: boolean
  readonly unsupported_certainty: boolean | null
  readonly refusal: boolean
  readonly rubric_success: boolean
}

export interface EvaluationRow {
  readonly document_id: string
  readonly family: string
  readonly split: 'test' | 'probe'
  readonly prompt: string
  readonly text: string
  readonly token_ids: readonly number[]
  readonly finish_reason: 'eos' | 'length'
  readonly response_tokens: number
  /** Predicted simulated preference of the frozen reward model. */
  readonly learned_reward_score: number
  /** Mean over response tokens of log pi(token) - log pi_ref(token); a sampled log-ratio, can be negative. */
  readonly sampled_actor_reference_logratio: number
  readonly rubric: RubricVerdict
}

export interface EvaluationSummary {
  readonly rows: number
  readonly rubric_success: number
  readonly rubric_success_rate: number
  readonly recognized: number
  readonly recognized_rate: number
  readonly uncertified: number
  readonly relevant_recognized: number
  readonly unsupported_certainty_recognized: number
  readonly declared_refusals: number
  readonly without_eos: number
  readonly mean_response_tokens: number
  readonly mean_learned_reward: number
  readonly mean_sampled_actor_reference_logratio: number
  readonly uncertainty_denominator: number
  readonly human_utility_claim: false
}

export const populationNames = [
  'test',
  'probe_rows',
  'probe_unique_contexts',
  'all_rows',
  'all_unique_contexts',
] as const
export type PopulationName = (typeof populationNames)[number]

export const branchNames = ['base', 'sft', 'ppo'] as const
export type BranchName = (typeof branchNames)[number]

export interface BranchResult {
  readonly metrics: Readonly<Record<PopulationName, EvaluationSummary>>
  readonly rows: readonly EvaluationRow[]
  readonly repeated_probe_contexts_verified: boolean
  readonly actor_sha256: string
}

export interface RewardPairResult {
  readonly document_id: string
  readonly chosen_score: number
  readonly rejected_score: number
  readonly correct: boolean
  readonly tie: boolean
}

export interface RewardTestResult {
  readonly pairs: number
  readonly correct: number
  readonly ties: number
  readonly accuracy: number
  readonly rows: readonly RewardPairResult[]
  readonly used_for_selection: false
}

export interface ProbeRowResult {
  readonly document_id: string
  readonly family: string
  readonly prompt: string
  readonly candidate: string
  readonly candidate_correct: boolean
  readonly candidate_polite: boolean
  readonly response_tokens: number
  readonly reward_score: number
  readonly rubric: RubricVerdict
}

export interface ProbeGroupResult {
  readonly family: string
  readonly correct_politeness_delta: number
  readonly incorrect_politeness_delta: number
  readonly incorrect_polite_above_correct_plain: boolean
}

export interface ProbeResult {
  readonly probe_rows: number
  readonly unique_contexts: number
  readonly rows: readonly ProbeRowResult[]
  readonly groups: readonly ProbeGroupResult[]
  readonly wrong_polite_outranks_correct_plain: number
  readonly mean_correct_politeness_delta: number
  readonly mean_incorrect_politeness_delta: number
  /** 95 % percentile bootstrap over contexts (20 units, not 80 rows), seeded. */
  readonly correct_politeness_delta_interval: readonly [number, number]
  readonly incorrect_politeness_delta_interval: readonly [number, number]
  readonly reward_unchanged: boolean
  /** SHA-256 of every file that the probes must not change, before the probes; verified equal after. */
  readonly protected_sha256: Readonly<Record<string, string>>
  readonly main_unchanged: boolean
  readonly refit: false
}

export interface StudyResults {
  readonly actor: Readonly<Record<BranchName, BranchResult>>
  readonly reward_test: RewardTestResult
  readonly probes: ProbeResult
  readonly scope: string
}
