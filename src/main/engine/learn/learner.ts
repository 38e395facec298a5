/** One role being trained: its gradient, its optimizer, and the clipped AdamW step on both. */
import type { LearnedState } from '../checkpoint/learned-state.ts'
import type { GradientBuffer } from '../nn/model.ts'
import { type AdamWState, adamwStep, newAdamWState } from '../optim/adamw.ts'
import { clipGradient } from '../optim/clip.ts'
import { NonFinite } from '../optim/non-finite.ts'
import type { Role } from './role.ts'
import type { RunState } from './run-record.ts'

export class Learner {
  readonly role: Role
  readonly adam: AdamWState
  private readonly total: Float32Array<ArrayBuffer>
  /** Where a micro-batch's gradient lands before it is added. */
  readonly part: GradientBuffer

  constructor(role: Role, adam: AdamWState = newAdamWState(role.state.data.length)) {
    this.role = role
    this.adam = adam
    this.total = new Float32Array(role.state.data.length)
    this.part = { specs: role.state.specs, data: new Float32Array(role.state.data.length) }
  }

  /** Of the step, as added up so far. */
  get gradient(): Float32Array {
    return this.total
  }

  clear(): void {
    this.total.fill(0)
  }

  /** Adds the micro-batch in `part` to the step's gradient. */
  accumulate(loss: number): void {
    if (!Number.isFinite(loss)) throw new NonFinite('loss', 0, loss)
    const part = this.part.data
    for (let i = 0; i < part.length; i++) this.total[i] = this.total[i]! + part[i]!
  }

  /**
   * Clips the accumulated gradient to `maxNorm` and takes one AdamW step in place.
   * @returns the global L2 norm before clipping
   * @throws NonFinite naming the tensor, for a gradient (parameters and moments are then untouched) or a parameter after
   *   the step (what was committed last is then the state to go back to)
   */
  step(settings: { learningRate: number; weightDecay: number; maxNorm: number }): number {
    const { norm } = clipGradient(this.total, this.role.state.specs, settings.maxNorm)
    adamwStep(this.role.state.data, this.total, this.adam, settings)
    requireFinite(this.role.state)
    return norm
  }
}

function requireFinite({ specs, data }: LearnedState): void {
  const at = data.findIndex((value) => !Number.isFinite(value))
  if (at === -1) return
  const { name, offset } = specs.find((spec) => at < spec.offset + spec.size)!
  throw new NonFinite(name, at - offset, data[at]!)
}

/** Puts a saved learned state and its moments back, in place; `step` counts the optimizer steps they have seen. */
export function restore(learner: Learner, tensors: RunState<unknown>['tensors'], step: number, prefix = ''): void {
  learner.role.state.data.set(tensors[`${prefix}learned`] as Float32Array)
  learner.adam.m.set(tensors[`${prefix}adam_m`] as Float32Array)
  learner.adam.v.set(tensors[`${prefix}adam_v`] as Float32Array)
  learner.adam.step = step
}

/** Says at which update something became non-finite; the last committed state stays as it is. */
export function atUpdate(error: unknown, update: number): unknown {
  if (!(error instanceof Error) || error.name !== 'NonFinite') return error
  return new Error(`update ${update}: ${error.message}; stopped, the state before this update is kept`, {
    cause: error,
  })
}
