/** The layout of a learned state: LoRA factors of every projection in order, then the scalar head. */
import type { Qwen2Config } from './base-model.ts'
import { layOut, type TensorSpec } from './learned-state.ts'
import { projections } from './qwen2-tensors.ts'

export { type Projection, projections } from './qwen2-tensors.ts'

export interface HeadLayout {
  readonly head: boolean
  /** Default true; a head of another program may come without a bias. */
  readonly headBias?: boolean
}

/** lora_A [rank, in] and lora_B [out, rank] of each projection, then head.weight [1, hidden] and head.bias [1]. */
export function loraSpecs(config: Qwen2Config, rank: number, { head, headBias = true }: HeadLayout): TensorSpec[] {
  const tensors = projections(config).flatMap((projection) => [
    { name: `${projection.path}.lora_A`, shape: [rank, projection.in] },
    { name: `${projection.path}.lora_B`, shape: [projection.out, rank] },
  ])
  if (head) {
    tensors.push({ name: 'head.weight', shape: [1, config.hiddenSize] })
    if (headBias) tensors.push({ name: 'head.bias', shape: [1] })
  }
  return layOut(tensors)
}
