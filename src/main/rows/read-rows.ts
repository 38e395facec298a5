/** Reads a whole data file against a row schema: order kept, ids unique, faults named by row id and line. */
import type { z } from 'zod'
import { BadInput } from '../../shared/bad-input.ts'
import { firstNonFinite } from '../../shared/non-finite.ts'
import { readJsonl } from './jsonl.ts'

/** A row with the place it came from, for messages about it later on. */
export interface PlacedRow<T> {
  readonly line: number
  readonly row: T
}

/** All rows at once. Throws BadInput for the first row that does not fit `schema` or repeats an id. */
export async function readRows<T>(file: string, schema: z.ZodType<T>): Promise<PlacedRow<T>[]> {
  const rows: PlacedRow<T>[] = []
  for await (const placed of eachRow(file, schema)) rows.push(placed)
  return rows
}

/** One row at a time, for files whose rows need not be held together. Throws as `readRows`. */
export async function* eachRow<T>(file: string, schema: z.ZodType<T>): AsyncGenerator<PlacedRow<T>> {
  const lineOf = new Map<unknown, number>()
  for await (const { line, value } of readJsonl(file)) {
    const parsed = schema.safeParse(value)
    if (!parsed.success) throw new BadInput(file, firstFault(parsed.error), rowPlace(value.id, line))
    const row = parsed.data
    // A field that the schema does not know can hold 1e999 too, and would be written as null.
    const wrong = firstNonFinite(row)
    if (wrong !== undefined) {
      throw new BadInput(file, `${wrong.place}: is beyond the largest number`, rowPlace(value.id, line))
    }
    const id = (row as { readonly id?: unknown }).id
    if (id !== undefined) {
      const earlier = lineOf.get(id)
      if (earlier !== undefined) {
        throw new BadInput(file, `the id stands already on line ${earlier}`, rowPlace(id, line))
      }
      lineOf.set(id, line)
    }
    yield { line, row }
  }
}

export function rowPlace(id: unknown, line: number): string {
  return typeof id === 'string' || typeof id === 'number' ? `row ${id}, line ${line}` : `line ${line}`
}

/** One fault at a time keeps the message one line; the most specific one inside a union is the useful one. */
export function firstFault(error: z.ZodError): string {
  const issue = error.issues[0]
  if (issue === undefined) return 'does not fit'
  const field = issue.path.reduce<string>(
    (path, key) => (typeof key === 'number' ? `${path}[${key}]` : path === '' ? String(key) : `${path}.${String(key)}`),
    '',
  )
  const message = issue.message.replace(/^Invalid input: /, '')
  return field === '' ? message : `${field}: ${message}`
}
