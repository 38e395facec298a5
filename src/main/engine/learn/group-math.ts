/**
 * The arithmetic of group policy losses and of direct preference optimisation, in float64 on plain arrays, each with its
 * gradient. Reductions are `ppo-math.ts`'s: response mean, then batch mean.
 */
import {
  type ActorLoss,
  activeNumber,
  bradleyTerryLoss,
  type MaskRows,
  ppoActorLoss,
  type Rows,
  responseMean,
} from './ppo-math.ts'

export interface GroupLoss extends ActorLoss {
  /** Mean over responses of the mean over tokens of k3. */
  readonly divergence: number
}

/**
 * `-mean_i mean_t min(rho A, clip(rho) A) + beta mean_i mean_t k3`, the gradient with respect to the current
 * log-probabilities. Errors as `ppoActorLoss`.
 */
export function groupLoss(
  current: Rows,
  old: Rows,
  reference: Rows,
  advantages: Rows,
  mask: MaskRows,
  { epsilon, klCoefficient }: { readonly epsilon: number; readonly klCoefficient: number },
): GroupLoss {
  const policy = ppoActorLoss(current, old, advantages, mask, epsilon)
  const divergence = referenceDivergence(current, reference, mask)
  const both = (one: number, other: number) => one + klCoefficient * other
  return {
    ...policy,
    loss: both(policy.loss, divergence.loss),
    responseLosses: policy.responseLosses.map((loss, i) => both(loss, divergence.responseLosses[i]!)),
    gradient: policy.gradient.map((row, i) => row.map((value, t) => both(value, divergence.gradient[i]![t]!))),
    divergence: divergence.loss,
  }
}

/**
 * k3 = exp(ref − cur) − (ref − cur) − 1 at the sampled tokens: never negative, 0 where both agree, and in expectation
 * over the policy's own samples the Kullback–Leibler divergence from it to the reference. Slope `1 − exp(ref − cur)`.
 */
export function referenceDivergence(
  current: Rows,
  reference: Rows,
  mask: MaskRows,
): { loss: number; responseLosses: readonly number[]; gradient: readonly number[][] } {
  return responseMean(current, { reference }, mask, (i, t) => {
    const behind = activeNumber('reference_logprobs', reference, i, t) - activeNumber('current_logprobs', current, i, t)
    return { value: Math.expm1(behind) - behind, slope: -Math.expm1(behind) }
  })
}

export interface DpoLoss {
  readonly loss: number
  /** β times the difference of both log-ratios, a pair: above 0 where the policy moved towards the chosen response. */
  readonly margins: readonly number[]
  /** d loss / d log π of the whole chosen response, a pair; the rejected one's is its negative. */
  readonly chosenGradient: readonly number[]
}

/** `-mean log sigmoid(beta [(pi - ref)(chosen) - (pi - ref)(rejected)])`, from sums over response tokens. */
export function dpoLoss(
  chosen: ArrayLike<number>,
  rejected: ArrayLike<number>,
  reference: { readonly chosen: ArrayLike<number>; readonly rejected: ArrayLike<number> },
  beta: number,
): DpoLoss {
  const implicit = (sums: ArrayLike<number>, frozen: ArrayLike<number>) =>
    Array.from(sums, (value, i) => beta * (value - frozen[i]!))
  const [good, bad] = [implicit(chosen, reference.chosen), implicit(rejected, reference.rejected)]
  const { loss, chosenGradient } = bradleyTerryLoss(good, bad)
  return {
    loss,
    margins: good.map((value, i) => value - bad[i]!),
    chosenGradient: chosenGradient.map((value) => beta * value),
  }
}
