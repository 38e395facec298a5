/**
 * Ctrl-C. The first asks the work at hand to stop at its next safe point; a second ends the process at once. Where
 * nothing has asked to be told, the first ends it too. Either way the exit status is 130 and state is kept.
 */

/** A terminal and npm may both deliver the same key press; closer than this it is one. */
const samePress = 500

export interface Interrupts {
  /** Aborted at the first interrupt. */
  readonly signal: AbortSignal
  /** While `work` runs, the first interrupt calls `stop` and leaves the ending to the work. */
  during<T>(stop: () => void, work: () => Promise<T>): Promise<T>
}

export function listenForInterrupts(say: (line: string) => void): Interrupts {
  const abort = new AbortController()
  const stops = new Set<() => void>()
  let first: number | undefined

  const onSignal = (): void => {
    const now = Date.now()
    if (first !== undefined && now - first < samePress) return
    if (first === undefined && stops.size > 0) {
      first = now
      say('stopping at the next update; press Ctrl-C again to stop at once')
      abort.abort()
      for (const stop of stops) stop()
      return
    }
    process.exit(130)
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)

  return {
    signal: abort.signal,
    async during(stop, work) {
      stops.add(stop)
      try {
        return await work()
      } finally {
        stops.delete(stop)
      }
    },
  }
}
