/** The curves of runs that learn from groups of rollouts, as windows and the command line get them. */
import type { UpdatePoint } from './study-document.ts'

/** `epoch` is the iteration; `denominator` the rollouts that were learned from. */
export interface GroupUpdatePoint extends UpdatePoint {
  readonly iteration: number
  readonly epoch_within_rollout: number
  readonly clip_fraction: number
  /** k3 at the sampled tokens: response mean, then batch mean. */
  readonly reference_divergence: number
  /** Smallest and largest ratio over the update's tokens. */
  readonly ratio_min: number
  readonly ratio_max: number
  readonly old_logprob_max_difference: number
  /** Where a value model learned beside the policy. */
  readonly critic_learning_rate?: number
  readonly critic_loss?: number
  readonly critic_grad_norm?: number
}

export interface GroupIterationPoint {
  readonly iteration: number
  /** With a reward; the others are `left_out` of every mean. */
  readonly rollouts: number
  readonly left_out: number
  readonly mean_reward: number
  /**
   * The rubric's verdicts on these training rollouts, given after the fact: rollouts with a known target and successes
   * among them. The learner never saw a target, and this is no held-out figure.
   */
  readonly rubric_judged: number
  readonly rubric_success: number
  /** Mean over rollouts of the mean sampled log-ratio; can be negative, not a divergence. */
  readonly mean_sampled_policy_reference_logratio: number
  readonly mean_action_tokens: number
  readonly mean_turns: number
  readonly truncated: number
}
