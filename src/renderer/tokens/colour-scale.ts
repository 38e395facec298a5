/**
 * Colours of token cells. What has a natural zero diverges from white there: blue below, red above; a ratio diverges
 * from 1 by its logarithm; a log-prob deepens from white at 0. Every scale is symmetric and its ends are written out.
 */
import { decimal, significant } from '../../main/report/number-text.ts'
import { exactShare, type Quantity } from './token-numbers.ts'

/** `signed`: zero is nothing; `share`: so too, of one. `ratio`: one is nothing. `log-prob`: never above zero. */
export type ScaleKind = 'signed' | 'share' | 'ratio' | 'log-prob'

export interface ColourScale {
  readonly kind: 'diverging' | 'sequential'
  /** Value at white. */
  readonly zero: number
  readonly low: number
  readonly high: number
  /** -1 (blue) to 1 (red); 0 is white. NaN for a value that is not finite. */
  readonly at: (value: number) => number
}

export function kindOf(quantity: Quantity): ScaleKind {
  if (quantity === 'log-prob' || quantity === 'reference log-prob') return 'log-prob'
  if (quantity === exactShare) return 'share'
  return quantity === 'ratio' ? 'ratio' : 'signed'
}

export const colourScale = (quantity: Quantity, values: readonly number[]): ColourScale =>
  scaleOf(kindOf(quantity), values)

export function scaleOf(kind: ScaleKind, values: readonly number[]): ColourScale {
  const finite = values.filter(Number.isFinite)
  if (kind === 'log-prob') {
    const low = Math.min(-1e-12, ...finite)
    return { kind: 'sequential', zero: 0, low, high: 0, at: (value) => limited(-value / low) }
  }
  if (kind === 'ratio') {
    const reach = Math.max(1e-6, ...finite.filter((value) => value > 0).map((value) => Math.abs(Math.log(value))))
    return {
      kind: 'diverging',
      zero: 1,
      low: Math.exp(-reach),
      high: Math.exp(reach),
      at: (value) => (value > 0 ? limited(Math.log(value) / reach) : Number.NaN),
    }
  }
  const reach = Math.max(1e-12, ...finite.map(Math.abs))
  return { kind: 'diverging', zero: 0, low: -reach, high: reach, at: (value) => limited(value / reach) }
}

function limited(share: number): number {
  return Number.isFinite(share) ? Math.min(1, Math.max(-1, share)) : Number.NaN
}

/** A CSS colour that keeps the text on it legible in either theme. */
export function cellColour(share: number): string {
  if (Number.isNaN(share)) return 'transparent'
  const strength = Math.round(Math.abs(share) * 52)
  return `color-mix(in srgb, var(${share < 0 ? '--lattice-low' : '--lattice-high'}) ${strength}%, var(--paper))`
}

/**
 * Few digits, for a cell; ratios are near 1, so they need one more. Shares are read against each other: all have the
 * decimals in which the largest, `reach`, has three digits.
 */
export function cellText(value: number, kind: ScaleKind = 'signed', reach = 1): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? '—' : String(value)
  if (kind === 'ratio') return decimal(value, 3)
  if (kind === 'share') {
    const digits = Math.min(9, Math.max(3, 2 - Math.floor(Math.log10(reach))))
    return decimal(Number(value.toFixed(digits)), digits)
  }
  return Math.abs(value) >= 0.005 || value === 0 ? decimal(value, 2) : significant(value)
}
