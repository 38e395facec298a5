/** Timing on a machine that others use too: sides take turns within one run, and the fastest run stands beside the median. */

/** One timed run; a side that measures itself says its own seconds and parts. */
export interface Timed {
  readonly seconds: number
  /** Processor time of the side's process, all threads: says more than the clock where other programs compute too. */
  readonly cpuSeconds?: number
  readonly parts?: Readonly<Record<string, number>>
}

export type Side = () => Promise<Timed>

export interface Samples {
  readonly runs: readonly Timed[]
}

/** Lets thread pools of the side that just ran stop spinning. */
const SETTLE_MS = 30

/**
 * Warms every side up, then runs all of them `runs` times in turn, in alternating order, so that a change of the
 * machine's load falls on each alike.
 */
export async function interleave<Name extends string>(
  sides: Readonly<Record<Name, Side>>,
  { warmUp = 2, runs, boundary }: { warmUp?: number; runs: number; boundary?: () => void },
): Promise<Record<Name, Samples>> {
  const names = Object.keys(sides) as Name[]
  const taken = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Timed[]>
  for (let round = -warmUp; round < runs; round++) {
    boundary?.()
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const run = await sides[name]()
      if (round >= 0) taken[name].push(run)
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
    }
  }
  return Object.fromEntries(names.map((name) => [name, { runs: taken[name] }])) as unknown as Record<Name, Samples>
}

/** Times `work` from outside. */
export function timed(work: () => Promise<unknown>, parts?: (result: unknown) => Timed['parts']): Side {
  return async () => {
    const [start, before] = [performance.now(), process.cpuUsage()]
    const result = await work()
    const [seconds, used] = [(performance.now() - start) / 1000, process.cpuUsage(before)]
    const inner = parts?.(result)
    return { seconds, cpuSeconds: (used.user + used.system) / 1e6, ...(inner && { parts: inner }) }
  }
}

export type Statistic = 'min' | 'median'

export function secondsOf({ runs }: Samples, statistic: Statistic): number {
  return pick(
    runs.map((run) => run.seconds),
    statistic,
  )
}

/** Least processor time of a run; undefined where the side does not tell. */
export function cpuSecondsOf({ runs }: Samples): number | undefined {
  const known = runs.flatMap((run) => (run.cpuSeconds === undefined ? [] : [run.cpuSeconds]))
  return known.length === 0 ? undefined : Math.min(...known)
}

/** Seconds of one part of a run; 0 where no run has it. */
export function partOf({ runs }: Samples, part: string, statistic: Statistic): number {
  return pick(
    runs.map((run) => run.parts?.[part] ?? 0),
    statistic,
  )
}

export function pick(values: readonly number[], statistic: Statistic): number {
  const sorted = [...values].sort((a, b) => a - b)
  if (statistic === 'min') return sorted[0]!
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
