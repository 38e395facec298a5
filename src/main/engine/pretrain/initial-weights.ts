/** A model before its first step: every base tensor as one trainable state. */
import type { BaseModel, Qwen2Config } from '../checkpoint/base-model.ts'
import { emptyState, type LearnedState, layOut } from '../checkpoint/learned-state.ts'
import { baseTensors } from '../checkpoint/qwen2-tensors.ts'
import { TorchRandom } from '../random/torch-random.ts'

/** Matrices N(0, deviation²) in the order of `baseTensors` from one generator, biases 0, norm weights 1. */
export function initialWeights(config: Qwen2Config, seed: number, deviation: number): LearnedState {
  const state = emptyState(layOut(baseTensors(config)))
  const random = new TorchRandom(seed)
  for (const { name, shape, offset, size } of state.specs) {
    const values = state.data.subarray(offset, offset + size)
    if (shape.length === 2) random.normal(values, 0, deviation)
    else if (name.endsWith('norm.weight')) values.fill(1)
  }
  return state
}

/** A base without a single stored tensor: what a graph needs when all of its parameters are learned. */
export function untrainedBase(name: string, config: Qwen2Config, eosIds: readonly number[]): BaseModel {
  const absent = (): never => {
    throw new Error(`${name} has no stored weights yet`)
  }
  return { dir: name, config, tensors: new Map(), eosIds, eosSource: 'recipe', sha256: absent, float32: absent }
}
