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

export function decimal(value: number, digits = 4): string {
  return value.toFixed(digits)
}

export function plural(value: number, noun: string): string {
  return `${countText(value)} ${noun}${value === 1 ? '' : 's'}`
}

/** Enough of a hash to tell two apart by eye. */
export function shortHash(hash: string): string {
  return hash.slice(0, 12)
}
