/**
 * A stretch of points reduced to what a screen can show: in each pixel column the first, lowest, highest and last point.
 * Peaks and jumps survive, because every extreme of a column is one of the points that are kept.
 */
export interface Drawn {
  readonly x: number
  readonly y: number
}

/**
 * @param run finite points in order of x
 * @param domain values at the left and right edge
 * @param columns pixel columns between the edges
 * @returns the run itself where it has at most four points a column of those it covers
 */
export function reduceToColumns(
  run: readonly Drawn[],
  domain: readonly [number, number],
  columns: number,
): readonly Drawn[] {
  const width = Math.max(1, Math.floor(columns))
  const span = domain[1] - domain[0]
  if (run.length <= 4 || !(span > 0)) return run
  const covered = columnOf(run.at(-1)!.x, domain[0], span, width) - columnOf(run[0]!.x, domain[0], span, width) + 1
  if (run.length <= 4 * covered) return run
  const kept: Drawn[] = []
  let start = 0
  while (start < run.length) {
    const column = columnOf(run[start]!.x, domain[0], span, width)
    let [low, high, end] = [start, start, start + 1]
    while (end < run.length && columnOf(run[end]!.x, domain[0], span, width) === column) {
      if (run[end]!.y < run[low]!.y) low = end
      if (run[end]!.y > run[high]!.y) high = end
      end += 1
    }
    let before = -1
    for (const index of [start, Math.min(low, high), Math.max(low, high), end - 1]) {
      if (index !== before) kept.push(run[index]!)
      before = index
    }
    start = end
  }
  return kept
}

/**
 * Stretches that lie one after another within a single pixel column become one: the gaps between them are narrower than
 * anything a screen can show, and thousands of them would only take time.
 */
export function joinWithinColumns(
  runs: readonly (readonly Drawn[])[],
  domain: readonly [number, number],
  columns: number,
): readonly (readonly Drawn[])[] {
  const width = Math.max(1, Math.floor(columns))
  const span = domain[1] - domain[0]
  if (runs.length <= width || !(span > 0)) return runs
  const joined: Drawn[][] = []
  let open = -1
  for (const run of runs) {
    const [from, to] = [run[0]!, run.at(-1)!].map(({ x }) => columnOf(x, domain[0], span, width))
    if (from === open && to === open) {
      for (const point of run) joined.at(-1)!.push(point)
      continue
    }
    joined.push([...run])
    open = from === to ? from! : -1
  }
  return joined
}

function columnOf(x: number, left: number, span: number, width: number): number {
  return Math.min(width - 1, Math.max(0, Math.floor(((x - left) / span) * width)))
}
