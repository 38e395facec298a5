/** The method a group stage is named after. */
import { BadInput } from '../../../../shared/bad-input.ts'
import type { CriticSettings, GroupStage } from '../../../../shared/group-run.ts'
import type { GroupConfig } from '../../../../shared/training-config.ts'
import type { Moments } from '../../credit/datc/policy-moments.ts'
import type { AdvantageStrategy } from '../advantage-strategy.ts'
import type { RewardJudge } from '../reward-judge.ts'
import { criticFrom, type Role } from '../role.ts'
import type { StageContext } from '../stage-context.ts'
import type { PhaseClock } from '../stage-run.ts'
import { comppoCredit } from './comppo-credit.ts'
import { datcCredit } from './datc-credit.ts'
import { sharedCredit } from './shared-credit.ts'
import { skipObservationCredit } from './skip-observation-credit.ts'
import { p2tCredit, redCredit } from './token-reward-credit.ts'

/** Whether the method reads gradients of the reward model, so that its judge takes them in the pass that judges. */
export const readsGradients = (stage: GroupStage): boolean => stage === 'datc' || stage === 'p2t'

/** Whether the method reads moments of the policy's distributions, which are cheapest to take while it samples. */
export const readsMoments = (stage: GroupStage, { ablation }: GroupConfig): boolean =>
  stage === 'datc' && ablation !== 'no-angle'

export interface StrategyParts {
  readonly context: StageContext
  readonly config: GroupConfig
  /** Whose state at the start the critic's LoRA is a copy of. */
  readonly policy: Role
  readonly judge: RewardJudge | null
  readonly critic?: CriticSettings | undefined
  /** What a source that takes moments of the policy's distributions gives to who reads them. */
  readonly moments?: Moments | undefined
  readonly clock: PhaseClock
}

/** @throws BadInput where the method reads a reward model or a critic's settings, and none is given */
export function strategyFor(stage: GroupStage, parts: StrategyParts): AdvantageStrategy {
  const { context, config, policy, critic: settings, clock } = parts
  switch (stage) {
    case 'grpo':
    case 'rloo':
      return sharedCredit(stage)
    case 'datc':
      return datcCredit(judgeOf(stage, parts), config, clock, parts.moments)
    case 'red':
      return redCredit(judgeOf(stage, parts))
    case 'p2t':
      return p2tCredit(judgeOf(stage, parts))
    case 'comppo':
      return comppoCredit(context, config, clock)
    case 'turn-ppo':
      if (settings === undefined) throw new BadInput('critic', 'is needed: turn-ppo learns a value model')
      return skipObservationCredit({ context, critic: criticFrom(policy, context.base), settings, clock })
  }
}

function judgeOf(stage: GroupStage, { judge }: StrategyParts): RewardJudge {
  if (judge === null) throw new BadInput('--reward-adapter', `is needed: ${stage} reads a reward model`)
  return judge
}
