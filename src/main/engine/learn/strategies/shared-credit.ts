/** One advantage for every token of a response: GRPO's standardised reward, or RLOO's difference to the others' mean. */
import { leaveOneOut } from '../../credit/estimators/baselines.ts'
import { groupAdvantages, grpo } from '../../credit/group-advantages.ts'
import type { AdvantageStrategy } from '../advantage-strategy.ts'

export function sharedCredit(name: 'grpo' | 'rloo'): AdvantageStrategy {
  const ofGroup = name === 'grpo' ? grpo : leaveOneOut
  return {
    name,
    identity: {},
    credit: async (rollouts) => {
      const advantages = groupAdvantages(
        rollouts.map(({ trajectory }) => trajectory),
        ofGroup,
      )
      return rollouts.map(({ row }, i) => ({
        advantage: advantages[i]!,
        advantages: row.places.map(() => advantages[i]!),
      }))
    },
  }
}
