/**
 * How far apart two distributions over one vocabulary are, and an upper bound on it. Plain numbers; knows no model.
 *
 * With Δ = log p − log q up to any additive constant c, p = q·e^Δ / Z, Z = E_q[e^Δ], and therefore
 *
 *     KL(q‖p) = log E_q[e^Δ] − E_q[Δ]        KL(p‖q) = log E_p[e^−Δ] + E_p[Δ]
 *
 * Both are the logarithm of the moment generating function of a centred variable that lies in an interval of length
 * R = max Δ − min Δ, at 1. Hoeffding's lemma bounds that by R²/8. Nothing is linearised: it holds for every p and q > 0, and
 * c falls out of R. Pinsker: TV ≤ √(KL/2), for the smaller of the two.
 */
import type { DistributionShift } from '../../../../shared/in-context.ts'
import { sum } from '../../study/statistics.ts'

/** @throws RangeError for a logit that is not finite */
export function logSoftmax(logits: ArrayLike<number>): Float64Array {
  let most = Number.NEGATIVE_INFINITY
  for (let v = 0; v < logits.length; v++) {
    if (!Number.isFinite(logits[v]!)) throw new RangeError(`logit ${v} is ${logits[v]}`)
    most = Math.max(most, logits[v]!)
  }
  let total = 0
  for (let v = 0; v < logits.length; v++) total += Math.exp(logits[v]! - most)
  const shift = most + Math.log(total)
  return Float64Array.from({ length: logits.length }, (_, v) => logits[v]! - shift)
}

/** −Σ p log p, nats. */
export function entropy(logP: Float64Array): number {
  return sum(logP.map((value) => -Math.exp(value) * value))
}

/** Σ p (e^δ − 1 − δ), δ = log q − log p: KL(p‖q) as a sum of terms that are never below 0, so that a small one survives. */
export function divergence(logP: Float64Array, logQ: Float64Array): number {
  return sum(
    logP.map((value, v) => {
      const [p, delta] = [Math.exp(value), logQ[v]! - value]
      if (p === 0) return Math.exp(logQ[v]!)
      return Math.abs(delta) < 1 ? p * (Math.expm1(delta) - delta) : Math.max(0, Math.exp(logQ[v]!) - p - p * delta)
    }),
  )
}

/** @param logP,logQ natural logarithms over one vocabulary, each normalised */
export function distributionShift(logP: Float64Array, logQ: Float64Array): DistributionShift {
  const [kl, reverse] = [divergence(logP, logQ), divergence(logQ, logP)]
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  logP.forEach((value, v) => {
    least = Math.min(least, value - logQ[v]!)
    most = Math.max(most, value - logQ[v]!)
  })
  return {
    kl,
    kl_reverse: reverse,
    total_variation: sum(logP.map((value, v) => Math.abs(Math.exp(value) - Math.exp(logQ[v]!)))) / 2,
    log_ratio_range: most - least,
    kl_bound: (most - least) ** 2 / 8,
    pinsker_bound: Math.sqrt(Math.min(kl, reverse) / 2),
  }
}

/** Ids whose probability differs most, largest difference first, the smaller id where two differ alike. */
export function mostChanged(logP: Float64Array, logQ: Float64Array, count: number): number[] {
  const changes = logP.map((value, v) => Math.abs(Math.exp(value) - Math.exp(logQ[v]!)))
  return Array.from(changes, (_, v) => v)
    .sort((a, b) => changes[b]! - changes[a]! || a - b)
    .slice(0, count)
}
