/** Numbers as a reader wants them: a unit on each, no more digits than they carry, and a word for what is not known. */
import { countText } from '../../shared/count-text.ts'

const minute = 60
const hour = 3600
const day = 86_400

/** `0.4 s`, `45 s`, `1 m 10 s`, `3 h 12 m`, `2 d 4 h`. */
export function duration(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  if (whole < minute) return `${whole} s`
  if (whole < hour) return two(whole, minute, 'm', 1, 's')
  const minutes = Math.round(seconds / minute) * minute
  if (minutes < day) return two(minutes, hour, 'h', minute, 'm')
  return two(Math.round(seconds / hour) * hour, day, 'd', hour, 'h')
}

function two(amount: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((amount % large) / small)
  const head = `${Math.floor(amount / large)} ${largeName}`
  return rest === 0 ? head : `${head} ${rest} ${smallName}`
}

/** `3 studies`, `1 study`. */
export const counted = (amount: number, one: string, many = `${one}s`): string =>
  `${countText(amount)} ${amount === 1 ? one : many}`

/** A setting as it is written in a file: `0.0003` as `3e-4`, everything else plainly. */
export function setting(value: unknown): string {
  if (typeof value !== 'number') return String(value)
  if (value !== 0 && Math.abs(value) < 1e-3) return value.toExponential().replace('e-0', 'e-')
  return String(value)
}

/** With a sign, as a difference is read: `+2.10`, `−0.40`, `0.00`. */
export function signed(value: number, digits = 2): string {
  const text = Math.abs(value).toFixed(digits)
  if (Number(text) === 0) return text
  return `${value > 0 ? '+' : '−'}${text}`
}

/** Fixed digits with a true minus. */
export const fixed = (value: number, digits = 2): string => value.toFixed(digits).replace('-', '−')
