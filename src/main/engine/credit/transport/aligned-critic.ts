/**
 * A critic that is no second transformer: one linear head on the hidden states from which the policy predicts its tokens,
 * V_t = ⟨w, h_{t−1}⟩ + b. The states are constants of the iteration: nothing it learns reaches the policy.
 */
import type { BaseModel } from '../../checkpoint/base-model.ts'
import { emptyState, layOut, tensorOf } from '../../checkpoint/learned-state.ts'
import { loraSpecs } from '../../checkpoint/lora-layout.ts'
import { Learner } from '../../learn/learner.ts'
import { type Role, roleOf } from '../../learn/role.ts'

/** Targets of one rollout: lists over its action tokens, states row-major [tokens, H]. */
export interface CriticTargets {
  readonly states: Float32Array
  readonly returns: readonly number[]
}

export class AlignedCritic {
  readonly learner: Learner
  private readonly width: number
  private readonly coefficient: number

  /** Begins at 0 everywhere. @param coefficient of the squared error */
  constructor(width: number, coefficient: number) {
    this.width = width
    this.coefficient = coefficient
    const specs = layOut([
      { name: 'head.weight', shape: [1, width] },
      { name: 'head.bias', shape: [1] },
    ])
    this.learner = new Learner(roleOf(emptyState(specs), 1, 1, 'v_head'))
  }

  /** V before each token. */
  values(states: Float32Array): number[] {
    const { weight, bias } = this.head()
    return Array.from({ length: states.length / this.width }, (_, t) => {
      let value = bias[0]!
      for (let h = 0; h < this.width; h++) value += weight[h]! * states[t * this.width + h]!
      return value
    })
  }

  /** coefficient · mean over rollouts of the mean over tokens of (V − return)²; leaves its gradient in the learner. */
  gradient(targets: readonly CriticTargets[]): number {
    const { learner, width, coefficient } = this
    learner.clear()
    const part = learner.part.data.fill(0)
    let loss = 0
    for (const { states, returns } of targets) {
      const values = this.values(states)
      const share = coefficient / (returns.length * targets.length)
      returns.forEach((wanted, t) => {
        const error = values[t]! - wanted
        loss += share * error * error
        const slope = 2 * share * error
        for (let h = 0; h < width; h++) part[h]! += slope * states[t * width + h]!
        part[width]! += slope
      })
    }
    learner.accumulate(loss)
    return loss
  }

  /** The head on a copy of the policy whose states it read: an adapter folder of the usual kind. */
  onPolicy(policy: Role, base: BaseModel): Role {
    const state = emptyState(loraSpecs(base.config, policy.rank, { head: true }))
    for (const spec of policy.state.specs) state.data.set(tensorOf(policy.state, spec.name), spec.offset)
    const { weight, bias } = this.head()
    tensorOf(state, 'head.weight').set(weight)
    tensorOf(state, 'head.bias').set(bias)
    return roleOf(state, policy.rank, policy.alpha, 'v_head')
  }

  private head(): { weight: Float32Array; bias: Float32Array } {
    const { state } = this.learner.role
    return { weight: tensorOf(state, 'head.weight'), bias: tensorOf(state, 'head.bias') }
  }
}
