/** How much of a chart's width the names of its rows may take: bars that have no room left say nothing. */

const cellWidth = 6.6
const gap = 16
const mostWidth = 260
/** Of the whole, however long names are. */
const mostShare = 0.45

export interface RowNames {
  readonly width: number
  /** Names are cut to it from the left: what tells apart parts of one rollout stands at the end. */
  readonly shown: (name: string) => string
}

export function rowNames(names: readonly string[], width: number): RowNames {
  const longest = names.reduce((most, { length }) => Math.max(most, length), 4)
  const room = Math.min(mostWidth, longest * cellWidth + gap, Math.max(80, width * mostShare))
  const characters = Math.floor((room - gap) / cellWidth + 1e-9)
  return { width: room, shown: (name) => (name.length > characters ? `…${name.slice(1 - characters)}` : name) }
}
