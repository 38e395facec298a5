/**
 * Trajectories: what a rollout said, turn by turn, with the numbers that were recorded about its tokens. The one shape
 * that estimators, audits, importers, the multi-turn desk and the credit screens share. Only `assistant` tokens are actions.
 */

export type TurnRole = 'system' | 'user' | 'assistant' | 'tool'

/** Numbers about tokens stand beside `token_ids`, one each; an empty list in a file means "not recorded" and is absent here. */
export interface Turn {
  readonly role: TurnRole
  readonly text?: string
  readonly token_ids?: readonly number[]
  /** log π(token | prefix) of the policy that sampled it, in nats, at temperature 1. */
  readonly logprobs?: readonly number[]
  readonly ref_logprobs?: readonly number[]
  /** log-probabilities under a teacher (for `factor`: one that has seen the feedback). */
  readonly teacher_logprobs?: readonly number[]
  /** V of the prefix before each token. */
  readonly values?: readonly number[]
  readonly rewards?: readonly number[]
  /** The retention gate of each token, or the concentration it is made from: see `comp-gae`. */
  readonly retention?: readonly number[]
  /** Reward-model score of the rollout cut after each token (`red`). */
  readonly prefix_scores?: readonly number[]
  /** First-order change of the reward when the token is replaced by a null token (`p2t`). */
  readonly token_influences?: readonly number[]
  /** Name of the environment state the turn was taken in; equal names are the same state. */
  readonly state_key?: string
  /** Reward of the whole turn, given at its last token. */
  readonly reward?: number
  /** Number of the compacted segment the turn belongs to. */
  readonly segment?: number
  /** Number of the option the turn belongs to. */
  readonly option?: number
  /** Φ of the state the turn was taken in, where the step rewards were shaped with a potential. */
  readonly potential?: number
  /** What the turn was to its environment; `invalid` is an action that could not be read or was not allowed. */
  readonly event?: string
}

export interface Trajectory {
  readonly id: string
  /** Rollouts of one prompt share a group. */
  readonly group: string
  /** Outcome; null is an abstention of the grader and never a 0. */
  readonly reward: number | null
  readonly terminated: boolean
  readonly truncated: boolean
  /** V of the state where a truncated rollout was cut. */
  readonly bootstrap_value?: number
  readonly final_state_key?: string
  /** Score of the prompt with no response (`red`). */
  readonly base_score?: number
  /** Reward of the policy's greedy response to the same prompt (the greedy baseline). */
  readonly greedy_reward?: number
  /** What ended the rollout; `environment_failure` says nothing about the policy and is read as an abstention. */
  readonly end?: string
  /** Whether the final answer was right, by a judge that is not the reward. */
  readonly success?: boolean | null
  /** How sure the verifier or reward model is that the answer is right, 0 to 1. */
  readonly verifier_confidence?: number
  /** The long rollout that this row is a part of, where one was split over several rows. */
  readonly episode?: string
  readonly turns: readonly Turn[]
}

/** Per-token lists of a turn: each is as long as `token_ids`. */
export const tokenFields = [
  'logprobs',
  'ref_logprobs',
  'teacher_logprobs',
  'values',
  'rewards',
  'retention',
  'prefix_scores',
  'token_influences',
] as const
export type TokenField = (typeof tokenFields)[number]
