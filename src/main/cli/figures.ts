/** Numbers as people read them in a terminal. Exact values are what `--json` is for. */

const units = ['B', 'KB', 'MB', 'GB', 'TB'] as const

export function bytes(count: number): string {
  let value = count
  let unit = 0
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit += 1
  }
  return `${unit === 0 ? value : value.toFixed(value < 10 ? 2 : 1)} ${units[unit]}`
}

export function duration(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  const hours = Math.floor(whole / 3600)
  const minutes = Math.floor((whole % 3600) / 60)
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${whole % 60} s`
}

export function count(value: number): string {
  return value.toLocaleString('en-US')
}

export function decimal(value: number, digits = 4): string {
  return value.toFixed(digits)
}

export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`
}

/** Enough of a hash to tell two apart by eye. */
export function shortHash(hash: string): string {
  return hash.slice(0, 12)
}
