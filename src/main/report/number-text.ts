/** How numbers are written for readers. Machines read report.json, or the `value` of the page's `<data>` elements. */
import { byteText } from '../../shared/byte-text.ts'
import { countText } from '../../shared/count-text.ts'

const MINUS = '\u2212'

/** A real minus sign, and never "−0". */
function signed(text: string): string {
  return /^-[0.]*$/.test(text) ? text.slice(1) : text.replace(/^-/, MINUS).replace('e-', `e${MINUS}`)
}

/** What stands where there is no finite number. */
export const absent = '—'

export function decimal(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return absent
  const size = Math.abs(value)
  if (size !== 0 && (size < 0.5 * 10 ** -digits || size >= 1e7)) return signed(scientific(value, 2))
  return signed(value.toFixed(digits))
}

/** With an explicit sign: for changes. */
export function change(value: number | null | undefined, digits = 3): string {
  const text = decimal(value, digits)
  return typeof value === 'number' && value > 0 && text !== absent ? `+${text}` : text
}

/** Three significant digits, for values of any size: learning rates, numerical differences. */
export function significant(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return absent
  if (value === 0) return '0'
  return Math.abs(value) < 1e-3 || Math.abs(value) >= 1e6 ? signed(scientific(value, 2)) : signed(value.toPrecision(3))
}

/** An ISO time as a reader writes it: "2026-11-29 16:13:12 UTC". */
export function utc(time: string | null): string {
  return time === null ? absent : time.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?Z$/, '$1 $2 UTC')
}

export function integer(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return absent
  return countText(value)
}

export function percent(share: number | null | undefined, digits = 1): string {
  return share === null || share === undefined || !Number.isFinite(share)
    ? absent
    : `${signed((share * 100).toFixed(digits))}%`
}

/** A difference of two shares, in percentage points. */
export function points(share: number | null | undefined, digits = 1): string {
  return share === null || share === undefined || !Number.isFinite(share)
    ? absent
    : `${change(share * 100, digits)}\u00a0pp`
}

export function interval(bounds: readonly [number, number] | null | undefined, digits = 3): string {
  return bounds === null || bounds === undefined
    ? absent
    : `[${decimal(bounds[0], digits)}, ${decimal(bounds[1], digits)}]`
}

export function seconds(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return absent
  if (value < 60) return `${value.toFixed(value < 10 ? 2 : 1)} s`
  const whole = Math.round(value)
  const hours = Math.floor(whole / 3600)
  const minutes = Math.floor((whole % 3600) / 60)
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${whole % 60} s`
}

export function bytes(value: number | null | undefined): string {
  return value === null || value === undefined || !Number.isFinite(value) ? absent : byteText(value)
}

function scientific(value: number, digits: number): string {
  return value
    .toExponential(digits)
    .replace('e+', 'e')
    .replace(/\.?0+e/, 'e')
}

/** A tick's label: exactly the decimals its step needs, an exponent only for very small or very large steps. */
export function tickLabel(value: number, step: number): string {
  if (value === 0) return '0'
  if (step < 1e-3 || Math.abs(value) >= 1e6) {
    // Digits from the step's magnitude below the value's, so that neighbouring ticks never read alike.
    const digits = Math.max(0, Math.floor(Math.log10(Math.abs(value)) + 1e-9) - Math.floor(Math.log10(step) + 1e-9))
    return signed(scientific(value, digits))
  }
  return signed(value.toFixed(Math.max(0, -Math.floor(Math.log10(step) + 1e-9))))
}
