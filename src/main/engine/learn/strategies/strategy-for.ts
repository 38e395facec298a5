/** The method a group stage is named after. */
import type { GroupStage } from '../../../../shared/group-run.ts'
import type { GroupConfig } from '../../../../shared/training-config.ts'
import type { AdvantageStrategy } from '../advantage-strategy.ts'
import type { RewardJudge } from '../reward-judge.ts'
import type { PhaseClock } from '../stage-run.ts'
import { datcCredit } from './datc-credit.ts'
import { sharedCredit } from './shared-credit.ts'
import { p2tCredit, redCredit } from './token-reward-credit.ts'

/** Whether the method reads gradients of the reward model, so that its judge takes them in the pass that judges. */
export const readsGradients = (stage: GroupStage): boolean => stage === 'datc' || stage === 'p2t'

export function strategyFor(
  stage: GroupStage,
  config: GroupConfig,
  judge: RewardJudge,
  clock: PhaseClock,
): AdvantageStrategy {
  switch (stage) {
    case 'grpo':
    case 'rloo':
      return sharedCredit(stage)
    case 'datc':
      return datcCredit(judge, config, clock)
    case 'red':
      return redCredit(judge)
    case 'p2t':
      return p2tCredit(judge)
  }
}
