/** Moments in the reader's own time zone. */

const clock = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short' })

/** `2026-03-04 14:05`. */
export const moment = (iso: string): string => clock.format(new Date(iso))

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'long' })
const steps: readonly (readonly [number, Intl.RelativeTimeFormatUnit])[] = [
  [60, 'minute'],
  [3600, 'hour'],
  [86_400, 'day'],
]

/** `just now`, `5 minutes ago`, `yesterday`; older than a month, the date. */
export function ago(iso: string, now: number = Date.now()): string {
  const seconds = (now - new Date(iso).getTime()) / 1000
  if (seconds < 60) return 'just now'
  if (seconds > 30 * 86_400) return moment(iso).slice(0, 10)
  const [size, unit] = steps.findLast(([least]) => seconds >= least) ?? [60, 'minute']
  return relative.format(-Math.floor(seconds / size), unit)
}
