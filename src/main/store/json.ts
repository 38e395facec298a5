/** JSON that enters the store or is hashed: finite numbers only, and one canonical form (sorted keys, compact). */

/** Throws naming the place of the first number that JSON cannot hold. */
export function assertFinite(value: unknown, path = '$'): void {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new Error(`${path} is ${value}, which is not a finite number`)
  } else if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) assertFinite(value[index], `${path}[${index}]`)
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) assertFinite(member, `${path}.${key}`)
  }
}

/** JSON text of a value. Throws on a non-finite number, naming its place. */
export function encodeJson(value: unknown): string {
  assertFinite(value)
  return JSON.stringify(value)
}

export function decodeJson<T>(text: string): T {
  return JSON.parse(text) as T
}

/** The same text for equal values, whatever the order of their keys. Throws on a non-finite number. */
export function canonicalJson(value: unknown): string {
  return encodeJson(sorted(value))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const keys = Object.keys(value).sort()
  return Object.fromEntries(keys.map((key) => [key, sorted((value as Record<string, unknown>)[key])]))
}
