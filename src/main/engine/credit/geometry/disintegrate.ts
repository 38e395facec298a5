/**
 * The disintegration of a policy gradient over a partition of its tokens. With μ(k,t) = w_k A_{k,t} ∇log π(y_{k,t}) and
 * g_S = Σ over a part S of μ, it gives each part's share of the update g = ∇J, and how nearly the parts add up to a g that
 * was computed by itself. Knows no model: gradients come from a `GradientSource`.
 *
 * Norms are not additive, projections are: Σ_S ⟨g_S, g⟩ / ‖g‖² = 1, while Σ_S ‖g_S‖ / ‖g‖ ≥ 1 measures what cancels.
 */

import type { GradientBuffer } from '../../nn/model.ts'
import { NonFinite } from '../../optim/non-finite.ts'
import type { Part } from './partition.ts'
import { dot, total, VectorSum } from './vectors.ts'

export interface TokenDerivatives {
  /** w·A · d/ds log π(θ + s·direction) at s = 0, one a trained position. */
  readonly values: Float64Array
  readonly passes: number
}

/** Where gradients come from. Each method is a computation of its own; none uses another's result. */
export interface GradientSource {
  readonly float: 'float32' | 'float64'
  readonly size: number
  buffer(): GradientBuffer
  /** ∇J over all positions, written into the buffer. @returns backward passes taken */
  full(into: GradientBuffer): Promise<number>
  /** The gradient of J masked to these positions. @returns backward passes taken */
  part(positions: readonly number[], into: GradientBuffer): Promise<number>
  /** Every position's term along one direction, in forward mode. */
  derivatives(direction: GradientBuffer): Promise<TokenDerivatives>
}

export interface PartShare {
  readonly name: string
  readonly positions: number
  /** ⟨g_S, g⟩ / ‖g‖². Negative where the part pulled against the step. */
  readonly projected_share: number
  /** ‖g_S‖ / ‖g‖. */
  readonly norm_share: number
}

export interface Disintegration {
  readonly parts: readonly PartShare[]
  readonly backward_passes: number
  readonly projected_share_sum: number
  /** ‖Σ_S g_S − g‖ / ‖g‖. */
  readonly conservation_error: number
  /** Σ_S ‖g_S‖ / ‖g‖: 1 where nothing cancels between parts. */
  readonly cancellation: number
  readonly full_norm: number
  /** g, and the sum of the parts. */
  readonly full: GradientBuffer
  readonly summed: VectorSum
}

/** The update is zero: nothing has a share of it. */
export class ZeroGradient extends Error {
  override readonly name = 'ZeroGradient'
  readonly backwardPasses: number

  constructor(backwardPasses: number) {
    super('the policy gradient is exactly zero')
    this.backwardPasses = backwardPasses
  }
}

/** Called when `done` of `total` passes are taken; may throw to end the audit. */
export type OnPass = (done: number, total: number) => void | Promise<void>

/**
 * One backward pass a part, and one for the whole. Memory beyond the state: g, one part's gradient, and the sum of the
 * parts (in float64, with its compensation).
 * @throws ZeroGradient where the whole gradient is zero
 * @throws NonFinite naming the tensor where a gradient is not finite
 */
export async function disintegrate(
  source: GradientSource,
  parts: readonly Part[],
  onPass: OnPass = () => {},
): Promise<Disintegration> {
  const [full, part] = [source.buffer(), source.buffer()]
  await onPass(0, parts.length + 1)
  let passes = await source.full(full)
  const squared = finiteSquare(full)
  if (squared === 0) throw new ZeroGradient(passes)
  const fullNorm = Math.sqrt(squared)
  await onPass(1, parts.length + 1)
  const summed = new VectorSum(source.size, source.float)
  const shares: PartShare[] = []
  for (const { name, positions } of parts) {
    passes += await source.part(positions, part)
    const partNorm = Math.sqrt(finiteSquare(part))
    summed.add(part.data)
    shares.push({
      name,
      positions: positions.length,
      projected_share: dot(part.data, full.data) / squared,
      norm_share: partNorm / fullNorm,
    })
    await onPass(shares.length + 1, parts.length + 1)
  }
  return {
    parts: shares,
    backward_passes: passes,
    projected_share_sum: total(shares.map((share) => share.projected_share)),
    conservation_error: summed.distanceTo(full.data) / fullNorm,
    cancellation: total(shares.map((share) => share.norm_share)),
    full_norm: fullNorm,
    full,
    summed,
  }
}

export interface TokenShares {
  /** One a trained position: ⟨μ(k,t), g⟩ / ‖g‖². */
  readonly shares: Float64Array
  readonly backward_passes: number
  readonly forward_mode_passes: number
  readonly projected_share_sum: number
  /** |Σ shares − 1| = |⟨Σμ − g, g⟩| / ‖g‖²: what of the difference shows along g. */
  readonly conservation_error: number
  readonly full_norm: number
  readonly full: GradientBuffer
}

/**
 * The exact share of every single token from one backward pass and one forward-mode pass along its result, whatever the
 * number of tokens: ⟨μ(k,t), g⟩ is w·A times the derivative of log π(y_{k,t}) along g. Forward and reverse rules are
 * different code, so that the shares add up to one is evidence of both.
 * @throws as `disintegrate`
 */
export async function tokenShares(source: GradientSource, onPass: OnPass = () => {}): Promise<TokenShares> {
  const full = source.buffer()
  await onPass(0, 2)
  const backward = await source.full(full)
  if (finiteSquare(full) === 0) throw new ZeroGradient(backward)
  await onPass(1, 2)
  const along = await sharesAlong(source, full)
  await onPass(2, 2)
  return { ...along, backward_passes: backward, full }
}

/** The forward-mode half, along a gradient that was taken already and is not zero. */
export async function sharesAlong(
  source: GradientSource,
  full: GradientBuffer,
): Promise<Omit<TokenShares, 'backward_passes' | 'full'>> {
  const squared = finiteSquare(full)
  const { values, passes } = await source.derivatives(full)
  const shares = values.map((value) => value / squared)
  const sum = total(Array.from(shares))
  if (!Number.isFinite(sum)) {
    const at = shares.findIndex((share) => !Number.isFinite(share))
    throw new NonFinite('token shares', at, shares[at] ?? sum)
  }
  return {
    shares,
    forward_mode_passes: passes,
    projected_share_sum: sum,
    conservation_error: Math.abs(sum - 1),
    full_norm: Math.sqrt(squared),
  }
}

function finiteSquare({ specs, data }: GradientBuffer): number {
  const value = dot(data, data)
  if (Number.isFinite(value)) return value
  const at = data.findIndex((entry: number) => !Number.isFinite(entry))
  const spec = specs.find(({ offset, size }) => at >= offset && at < offset + size)
  if (at === -1) throw new NonFinite('squared norm of the gradient', 0, value, 'their sum, every element being finite')
  throw new NonFinite(`gradient of ${spec?.name ?? 'the policy'}`, at - (spec?.offset ?? 0), data[at] ?? value)
}
