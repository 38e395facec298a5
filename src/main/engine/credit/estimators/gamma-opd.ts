/** On-policy distillation as credit: the teacher's log-ratio as token reward, discounted; and its mix with an outcome. */
import { eachRollout, type Method, type Rollout } from './method.ts'
import { outcomeAdvantages } from './monte-carlo.ts'
import { actionNumbers } from './recorded.ts'
import { rewardToGo } from './reward-to-go.ts'

/** `r_t = log π_T − log π`, in nats; `A_t = Σ_{k≥t} γ^{k−t} r_k`. γ 0 is token-level, 1 the sequence reverse KL. */
export function distillationAdvantages(
  student: readonly number[],
  teacher: readonly number[],
  gamma: number,
): { rewards: number[]; advantages: number[] } {
  const rewards = teacher.map((value, t) => value - student[t]!)
  return { rewards, advantages: rewardToGo(rewards, gamma) }
}

/** `(1 − α)A_out + α·clip(A, −B, B)`; the sign of A_out stands wherever αB < (1 − α)|A_out|. */
export function boundedMix(outcome: number, advantages: readonly number[], alpha: number, bound: number): number[] {
  return advantages.map((a) => (1 - alpha) * outcome + alpha * Math.min(bound, Math.max(-bound, a)))
}

function distil(rollout: Rollout, gamma: number, method: string) {
  const student = actionNumbers(rollout, 'logprobs', method)
  return distillationAdvantages(student, actionNumbers(rollout, 'teacher_logprobs', method), gamma)
}

const needs = ['logprobs (assistant)', 'teacher_logprobs (assistant)']
const step = 'one action token; observations take no step'

export const opd: Method = {
  name: 'opd',
  formula: 'A_t = Σ_{k≥t} γ^(k−t) r_k;  r_t = log π_T(y_t) − log π(y_t)',
  step,
  reads: 'none',
  needs,
  settings: ['gamma'],
  conventions: { outcome: 'not read', whitening: 'none' },
  source: 'γOPD',
  cannotClaim: 'anything about the reward: credit is agreement with the teacher',
  estimate: eachRollout((rollout, { gamma }) => {
    const { rewards, advantages } = distil(rollout, gamma, 'opd')
    return { advantages, returns: advantages, perToken: { token_reward: rewards } }
  }),
}

export const opdRbm: Method = {
  name: 'opd-rbm',
  formula: 'A_t = (1 − α)A_out + α·clip(A^OPD_t, −B, B)',
  step,
  reads: 'outcome',
  needs: [...needs, 'greedy_reward (baseline greedy)'],
  settings: ['gamma', 'alpha', 'bound', 'baseline', 'std_ddof', 'epsilon'],
  defaults: { baseline: 'grpo' },
  conventions: { sign: 'that of A_out wherever αB < (1 − α)|A_out|', whitening: 'none' },
  source: 'γOPD (reward-compatible bounded mixing)',
  cannotClaim: 'token credit from the outcome: only the teacher tells tokens apart',
  estimate: (group, settings) => {
    const outcomes = outcomeAdvantages(group, settings, 'opd-rbm')
    return group.map((rollout, i) => {
      const { advantages } = distil(rollout, settings.gamma, 'opd-rbm')
      return {
        advantages: boundedMix(outcomes[i]!, advantages, settings.alpha, settings.bound),
        returns: advantages,
        facts: { outcome_advantage: outcomes[i]! },
      }
    })
  },
}
