/**
 * Partitions of the trained positions: which part each token belongs to. The shipped ones are by rollout, turn, segment and
 * token; a partition of one's own is any function from a position to the name of its part. Knows no gradient.
 */
import { BadInput } from '../../../../shared/bad-input.ts'
import type { Partition } from '../../../../shared/credit-audit.ts'

/** One action token of one rollout, as a partition sees it. */
export interface TrainedPosition {
  /** Of the rollout, zero-based, in the order of the batch. */
  readonly rollout: number
  readonly id: string
  /** Zero-based, in the trajectory's turns. */
  readonly turn: number
  /** Zero-based, in the turn's tokens. */
  readonly index: number
  /** See `segmentsOf`. */
  readonly segment: number
}

/** Names the part that a position belongs to: equal names are one part. */
export type PartOf = (position: TrainedPosition) => string

export interface Part {
  readonly name: string
  /** Indices into the batch's trained positions, ascending. */
  readonly positions: readonly number[]
}

export const byRollout: PartOf = ({ id }) => id
export const byTurn: PartOf = ({ id, turn }) => `${id}/turn ${turn}`
export const bySegment: PartOf = ({ id, segment }) => `${id}/segment ${segment}`
export const byToken: PartOf = ({ id, turn, index }) => `${id}/turn ${turn}/token ${index}`

export const partitionNamed: Readonly<Record<Partition, PartOf>> = {
  rollout: byRollout,
  turn: byTurn,
  segment: bySegment,
  token: byToken,
}

/** The parts in the order in which the positions first reach them; together they hold every position once. */
export function partsOf(positions: readonly TrainedPosition[], partOf: PartOf): Part[] {
  const parts = new Map<string, number[]>()
  positions.forEach((position, i) => {
    const name = partOf(position)
    const known = parts.get(name)
    if (known === undefined) parts.set(name, [i])
    else known.push(i)
  })
  return [...parts].map(([name, members]) => ({ name, positions: members }))
}

/**
 * The segment of each turn: the number it records (a rollout that was compacted has several), or, in a rollout that
 * records none, which uninterrupted stretch of assistant turns it is of.
 * @throws BadInput where some assistant turns record their segment and others do not
 */
export function segmentsOf(
  { id, turns }: { readonly id: string; readonly turns: readonly { role: string; segment?: number }[] },
  file: string,
): number[] {
  const actions = turns.filter(({ role }) => role === 'assistant')
  const recorded = actions.filter(({ segment }) => segment !== undefined).length
  if (recorded !== 0 && recorded !== actions.length) {
    const missing = turns.findIndex(({ role, segment }) => role === 'assistant' && segment === undefined)
    throw new BadInput(file, `turns[${missing}] has no segment, other assistant turns have one`, `row ${id}`)
  }
  let stretch = -1
  return turns.map(({ role, segment }, k) => {
    if (role === 'assistant' && turns[k - 1]?.role !== 'assistant') stretch += 1
    return segment ?? Math.max(0, stretch)
  })
}
