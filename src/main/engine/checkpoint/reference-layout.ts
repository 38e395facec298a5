/** Reads a learned state in the reference study's own layout: one safetensors file, `backbone.` before LoRA names. */
import { BadInput } from '../../../shared/bad-input.ts'
import type { BaseModel } from './base-model.ts'
import { emptyState, type LearnedState } from './learned-state.ts'
import { loraSpecs } from './lora-layout.ts'
import { sameShape } from './qwen2-tensors.ts'
import { readSafetensorsHeader, readTensor } from './safetensors.ts'

/** @throws BadInput for a missing, unexpected, misshapen or non-F32 tensor */
export function readReferenceState(path: string, base: Pick<BaseModel, 'config'>, rank: number): LearnedState {
  const header = readSafetensorsHeader(path)
  const state = emptyState(loraSpecs(base.config, rank, { head: header.tensors.has('head.weight') }))
  const left = new Set(header.tensors.keys())
  for (const { name, shape, offset } of state.specs) {
    const key = name.startsWith('head.') ? name : `backbone.${name}`
    const values = readTensor(header, key)
    if (!(values instanceof Float32Array) || !sameShape(header.tensors.get(key)!.shape, shape)) {
      throw new BadInput(path, `must be F32 [${shape.join(', ')}]`, `tensor ${key}`)
    }
    state.data.set(values, offset)
    left.delete(key)
  }
  for (const key of left) throw new BadInput(path, 'is not part of a learned state', `tensor ${key}`)
  return state
}
