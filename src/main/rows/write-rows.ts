/** Writes what was computed as JSON, whole or not at all, and only numbers that a reader can take back. */
import { firstNonFinite } from '../../shared/non-finite.ts'
import { writeFileAtomically } from '../engine/checkpoint/atomic-write.ts'

/**
 * @throws Error naming the row and field of a number that is not finite, before anything is written; BadInput where the
 * file cannot be written
 */
export function writeRows(file: string, rows: readonly object[]): void {
  rows.forEach((row, at) => {
    requireFinite(file, row, nameOf(row, at))
  })
  writeFileAtomically(file, encoded(rows))
}

/** One document on one line. Throws as `writeRows`. */
export function writeDocument(file: string, document: object): void {
  requireFinite(file, document, 'the result')
  writeFileAtomically(file, [Buffer.from(`${JSON.stringify(document)}\n`)])
}

function* encoded(rows: readonly object[]): Generator<Uint8Array> {
  for (const row of rows) yield Buffer.from(`${JSON.stringify(row)}\n`)
}

function nameOf(row: object, at: number): string {
  const { id } = row as { readonly id?: unknown }
  return typeof id === 'string' || typeof id === 'number' ? `row ${id}` : `row number ${at + 1}`
}

function requireFinite(file: string, value: object, name: string): void {
  const found = firstNonFinite(value)
  if (found === undefined) return
  throw new Error(`${file}: not written, since ${found.place} of ${name} is ${found.value}, not a finite number`)
}
