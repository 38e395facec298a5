/** JSON with sorted keys and no spaces: equal data gives equal text. */

/** @throws Error for what JSON would silently change: a non-finite number, a function, a bigint */
export function canonicalJson(value: unknown, place = '$'): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new Error(`${place} is ${value}, which JSON cannot hold`)
    return JSON.stringify(value)
  }
  if (Array.isArray(value)) {
    return `[${value.map((entry: unknown, i) => canonicalJson(entry, `${place}[${i}]`)).join(',')}]`
  }
  if (typeof value === 'object') {
    const entries = Object.entries(value)
      .filter(([, entry]) => entry !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, entry]) => `${JSON.stringify(key)}:${canonicalJson(entry, `${place}.${key}`)}`)
    return `{${entries.join(',')}}`
  }
  throw new Error(`${place} is a ${typeof value}, which JSON cannot hold`)
}
