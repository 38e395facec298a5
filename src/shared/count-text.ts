/** Whole numbers as people read them, in windows, reports and terminals alike: `12,345`, with a true minus sign. */

/** @param amount finite; not rounded, so that a broken count is seen as one */
export function countText(amount: number): string {
  const [whole = '', rest] = String(Math.abs(amount)).split('.')
  const grouped = /^\d+$/.test(whole) ? whole.replace(/\B(?=(\d{3})+$)/g, ',') : whole
  return `${amount < 0 ? '\u2212' : ''}${grouped}${rest === undefined ? '' : `.${rest}`}`
}
