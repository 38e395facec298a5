/** Numbers as people read them in a terminal. Exact values are what `--json` is for. */
import { countText } from '../../shared/count-text.ts'

export { byteText as bytes } from '../../shared/byte-text.ts'
export { countText as count } from '../../shared/count-text.ts'

export function duration(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  const hours = Math.floor(whole / 3600)
  const minutes = Math.floor((whole % 3600) / 60)
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${whole % 60} s`
}

/** With a true minus; what rounds to zero has no sign. */
export function decimal(value: number, digits = 4): string {
  const size = Math.abs(value).toFixed(digits)
  return value < 0 && Number(size) !== 0 ? `−${size}` : size
}

/** What spans orders of magnitude: so many digits that count, plain where that is short. */
export function significant(value: number, digits = 3): string {
  const size = Math.abs(value)
  const text =
    size === 0 || (size >= 1e-3 && size < 1e4)
      ? String(Number(size.toPrecision(digits)))
      : size
          .toExponential(digits - 1)
          .replace('e-', 'e−')
          .replace('e+', 'e')
  return value < 0 ? `−${text}` : text
}

export function plural(value: number, noun: string): string {
  return `${countText(value)} ${noun}${value === 1 ? '' : 's'}`
}

/** Enough of a hash to tell two apart by eye. */
export function shortHash(hash: string): string {
  return hash.slice(0, 12)
}
