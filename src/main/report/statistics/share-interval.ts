/** The interval of a share as a report needs it: none, rather than an error, where nothing was counted. */
import { wilsonInterval } from '../../engine/study/statistics.ts'

export function shareInterval(successes: number, n: number): readonly [number, number] | null {
  return n > 0 ? wilsonInterval(successes, n) : null
}
