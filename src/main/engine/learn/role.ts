/** A role: a learned state and how its low-rank branch is scaled. Four roles of PPO are four of these over one base. */
import type { BaseModel } from '../checkpoint/base-model.ts'
import { cloneState, emptyState, type LearnedState, tensorOf } from '../checkpoint/learned-state.ts'
import { loraSpecs, projections } from '../checkpoint/lora-layout.ts'
import { type HeadKind, readPeft, writePeft } from '../checkpoint/peft.ts'
import type { LearnedLayout } from '../nn/model.ts'
import { TorchRandom } from '../random/torch-random.ts'

export interface Role {
  readonly state: LearnedState
  readonly layout: LearnedLayout
  readonly rank: number
  readonly alpha: number
  readonly head: HeadKind
}

/** Standard deviation of a fresh reward head; its bias starts at 0. */
const HEAD_DEVIATION = 0.02

/**
 * Fresh LoRA and head. One generator draws A ~ U(−1/√in, 1/√in) module by module in sorted-name order, B is 0; another
 * of the same seed draws a reward head from N(0, 0.02²). A value head is 0.
 */
export function freshRole(
  base: BaseModel,
  { rank, alpha, head, seed }: { rank: number; alpha: number; head: HeadKind; seed: number },
): Role {
  const state = emptyState(loraSpecs(base.config, rank, { head: head !== 'none' }))
  const random = new TorchRandom(seed)
  const byName = [...projections(base.config)].sort((a, b) => (a.path < b.path ? -1 : 1))
  for (const projection of byName) random.kaimingUniform(tensorOf(state, `${projection.path}.lora_A`), projection.in)
  if (head === 'score') new TorchRandom(seed).normal(tensorOf(state, 'head.weight'), 0, HEAD_DEVIATION)
  return roleOf(state, rank, alpha, head)
}

/** A role from a PEFT folder. A head the role needs and the folder lacks is refused, never drawn anew. */
export function roleFromPeft(dir: string, base: BaseModel, requireHead?: 'score' | 'v_head'): Role {
  const { state, rank, alpha, head } = readPeft(dir, base, requireHead === undefined ? {} : { requireHead })
  return roleOf(state, rank, alpha, head)
}

/** A critic: a copy of the policy's LoRA with a value head of zeros. It shares no memory with the policy. */
export function criticFrom(policy: Role, base: BaseModel): Role {
  const state = emptyState(loraSpecs(base.config, policy.rank, { head: true }))
  for (const spec of state.specs)
    if (!spec.name.startsWith('head.')) state.data.set(tensorOf(policy.state, spec.name), spec.offset)
  return roleOf(state, policy.rank, policy.alpha, 'v_head')
}

/** The same role on memory of its own. */
export function copyRole(role: Role): Role {
  return roleOf(cloneState(role.state), role.rank, role.alpha, role.head)
}

/** The role without its scalar head, for reading a policy out of an adapter that has one. */
export function roleOf(state: LearnedState, rank: number, alpha: number, head: HeadKind): Role {
  return { state, layout: { specs: state.specs, loraScale: alpha / rank }, rank, alpha, head }
}

export function saveRole(dir: string, role: Role, baseModel: string | null = null): void {
  writePeft(
    dir,
    { state: role.state, rank: role.rank, alpha: role.alpha, head: role.head, baseModel },
    { overwrite: true },
  )
}
