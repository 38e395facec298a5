/** Weights that are not finite are refused where they are read: every number that comes of them would be none. */
import { BadInput } from '../../../shared/bad-input.ts'

/**
 * @param file the checkpoint's file that holds the tensor
 * @param from index of the first value in the tensor, where it is read in pieces
 * @throws BadInput naming file, tensor and element
 */
export function requireFinite(values: Float32Array, file: string, tensor: string, from = 0): void {
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!
    // NaN and the infinities alone differ from themselves less themselves.
    if (value - value === 0) continue
    throw new BadInput(file, `element ${from + i} is ${value}; the checkpoint is damaged`, `tensor ${tensor}`)
  }
}
