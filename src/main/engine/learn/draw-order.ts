/** The order in which a run draws its tasks: a permutation an epoch, or the order of the file; it can be saved and restored. */
import { TorchRandom } from '../random/torch-random.ts'
import type { RunState } from './run-record.ts'

export class DrawOrder<T> {
  private readonly tasks: readonly T[]
  private readonly shuffle: boolean
  private readonly sampler: TorchRandom
  private order: number[] = []
  /** Tasks of the current permutation already drawn. */
  cursor = 0

  constructor(tasks: readonly T[], { shuffle, seed }: { readonly shuffle: boolean; readonly seed: number }) {
    this.tasks = tasks
    this.shuffle = shuffle
    this.sampler = new TorchRandom(seed)
  }

  /** The next `count` tasks; a permutation that ends is followed by the next, so one task may come twice. */
  next(count: number): T[] {
    const chosen: T[] = []
    while (chosen.length < count) {
      if (this.cursor === this.order.length) {
        this.order = this.shuffle ? this.sampler.randperm(this.tasks.length) : this.tasks.map((_, i) => i)
        this.cursor = 0
      }
      chosen.push(this.tasks[this.order[this.cursor++]!]!)
    }
    return chosen
  }

  /** Named as the resume states of every version name them. */
  tensors(): RunState<unknown>['tensors'] {
    return { sampler: this.sampler.state().words, order: Uint32Array.from(this.order) }
  }

  restore(cursor: number, { sampler, order }: RunState<unknown>['tensors']): void {
    this.sampler.setState({ words: sampler as Uint32Array, nextNormal: null })
    this.order = Array.from(order as Uint32Array)
    this.cursor = cursor
  }
}
