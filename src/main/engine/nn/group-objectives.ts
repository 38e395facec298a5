/**
 * The losses of the trainers that need no value model: the clipped policy term with a divergence from the reference
 * (GRPO and what shares its form), and the direct preference loss. `objectives.ts` holds those of the study.
 */
import { clippedSurrogate, type Objective, responseLogProbs } from './objectives.ts'

/**
 * −Σ weights · min(ρA, clip(ρ)A) + β Σ weights · k3, where k3 = exp(ref − cur) − (ref − cur) − 1 is a non-negative
 * estimate of the divergence from the reference at the sampled token. Without a β nothing of the reference is read.
 */
export const groupObjective =
  (epsilon: number, klCoefficient: number): Objective =>
  (context) => {
    const { g, shape } = context
    const size = [shape.batch, shape.response]
    const policy = responseLogProbs(context)
    const weights = g.input('weights', size)
    let loss = g.scale(clippedSurrogate(context, policy, weights, epsilon), -1)
    if (klCoefficient > 0) {
      const behind = g.select(policy.mask, g.sub(g.input('reference_log_probs', size), policy.logProbs))
      // exp(x) − x − 1 summed with weights; the constant has no gradient but belongs to the loss.
      const excess = g.sub(g.sub(g.exp(behind), behind), g.raw.scalar(1))
      loss = g.add(loss, g.scale(g.sum(g.select(policy.mask, g.mul(excess, weights))), klCoefficient))
    }
    g.output('loss', loss)
    return loss
  }

/**
 * −Σ pair_weights · log σ(β·[(log π − log π_ref)(chosen) − (log π − log π_ref)(rejected)]), sums over response tokens.
 * Rows 0..B/2−1 are the chosen responses, the others the rejected ones; `reference_sums` [B] are those of the frozen
 * reference.
 */
export const dpoObjective =
  (beta: number): Objective =>
  (context) => {
    const { g, shape } = context
    const pairs = shape.batch / 2
    const { logProbs } = responseLogProbs(context)
    const gains = g.sub(g.sum(logProbs, [1]), g.input('reference_sums', [shape.batch]))
    g.output('gains', gains)
    const margin = g.scale(g.sub(g.slice(gains, 0, 0, pairs), g.slice(gains, 0, pairs, pairs)), beta)
    const loss = g.scale(g.sum(g.mul(g.logSigmoid(margin), g.input('pair_weights', [pairs]))), -1)
    g.output('loss', loss)
    return loss
  }
