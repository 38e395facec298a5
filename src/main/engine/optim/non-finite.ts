/**
 * The error of a number that is not finite where a finite one must stand. It stops the run and names the tensor and
 * the place, because a NaN that travels on costs more than the run.
 */
export class NonFinite extends Error {
  override readonly name = 'NonFinite'

  readonly tensor: string
  /** Index inside the tensor, row-major. */
  readonly index: number
  readonly value: number

  /** @param where more of the place, where the index alone says too little: "rollout 2, token 5" */
  constructor(tensor: string, index: number, value: number, where?: string) {
    super(`${tensor} is ${value} at ${where ?? `element ${index}`}`)
    this.tensor = tensor
    this.index = index
    this.value = value
  }
}
