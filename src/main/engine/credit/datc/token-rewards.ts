/**
 * Rewards of single tokens read out of a reward model: differences of prefix scores (RED), and first-order influences of
 * replacing a token by a null token (P2T). Pure arithmetic on readings; lists run over action tokens.
 */
import { ontoSteps } from '../estimators/placement.ts'
import { scoreDifferences } from '../estimators/red.ts'
import { ofActions, type TrainedRow } from '../trained-row.ts'
import type { RewardReading } from './input-gradients.ts'

/**
 * s_t − s_{t−1}, s_0 the score of the prompt alone; what an observation changes belongs to the action before it. The sum is
 * the score of the whole minus s_0.
 */
export function redistributed(
  row: TrainedRow,
  { baseScore, prefixScores }: Pick<RewardReading, 'baseScore' | 'prefixScores'>,
): number[] {
  if (baseScore === null) throw new Error('differences of prefix scores begin with the score of the prompt')
  return ontoSteps(scoreDifferences(prefixScores, baseScore), row.actionMask)
}

/**
 * ⟨∂R/∂e_t, E[y_t] − E[null]⟩: to first order, what the reward loses when the token is replaced by the null token.
 * @param table the reward model's embeddings, row-major [V, H]
 */
export function influences(
  row: TrainedRow,
  { inputGradient }: Pick<RewardReading, 'inputGradient'>,
  table: Float32Array,
  width: number,
  nullId: number,
): number[] {
  const none = nullId * width
  return ofActions(
    row,
    row.completionIds.map((id, t) => {
      let change = 0
      for (let h = 0; h < width; h++)
        change += inputGradient[t * width + h]! * (table[id * width + h]! - table[none + h]!)
      return change
    }),
  )
}
