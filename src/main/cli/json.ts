/** JSON for machines: one document, and never a number that JSON cannot hold. */
import { firstNonFinite, isTypedArray } from '../../shared/non-finite.ts'

/**
 * Serialises `value`, typed arrays as lists. Throws an error that names the place of the first NaN or infinity,
 * where JSON.stringify would write null.
 */
export function toJson(value: unknown): string {
  const found = firstNonFinite(value)
  if (found !== undefined)
    throw new Error(`${found.place || 'the result'} is ${found.value}, which is not a finite number`)
  return JSON.stringify(value, (_key, part: unknown) => (isTypedArray(part) ? Array.from(part) : part))
}
