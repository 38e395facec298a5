/** Amounts of storage as people read them, in decimal units: `28 B`, `1.5 kB`, `320 MB`. */

const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const

export function byteText(amount: number): string {
  let value = amount
  let unit = 0
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000
    unit += 1
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
}
