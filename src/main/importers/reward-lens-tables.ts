/** The flat tables of a reward-lens record, in JSON lines or parquet as its manifest says: one object a row. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BadInput } from '../../shared/bad-input.ts'
import { isJsonObject, type JsonObject } from '../engine/checkpoint/input-file.ts'
import { readEachLine } from '../rows/jsonl.ts'
import { openParquet } from './parquet/parquet-rows.ts'

export interface TableRow {
  readonly file: string
  /** For messages: "line 4". */
  readonly where: string
  readonly value: Readonly<Record<string, unknown>>
}

/** None where a partition has no such table. Throws `BadInput` for a format that is not read. */
export async function* tableRows(folder: string, table: string, manifest: JsonObject): AsyncGenerator<TableRow> {
  const format = manifest.format ?? 'jsonl'
  if (format !== 'jsonl' && format !== 'parquet')
    throw new BadInput(folder, `has tables in the format ${JSON.stringify(format)}; jsonl and parquet are read`)
  const file = join(folder, `${table}.${format}`)
  if (!existsSync(file)) {
    if (table === 'groups') return
    throw new BadInput(file, 'file not found; the record is incomplete')
  }
  if (format === 'jsonl') {
    for await (const line of readEachLine(file)) {
      if ('fault' in line) throw line.fault
      yield { file, where: `line ${line.line}`, value: line.value }
    }
    return
  }
  const parquet = openParquet(file)
  try {
    let at = 0
    for await (const cells of parquet.rows()) yield { file, where: `row ${at++}`, value: Object.fromEntries(cells) }
  } finally {
    parquet.close()
  }
}

export function textField({ file, where, value }: TableRow, name: string): string {
  const text = value[name]
  if (typeof text === 'string' && text !== '') return text
  throw new BadInput(file, `${name} is missing or no text`, where)
}

/** The row's structured part, a JSON text. */
export function payloadOf({ file, where, value }: TableRow): JsonObject {
  if (typeof value.payload !== 'string') throw new BadInput(file, 'payload is missing', where)
  try {
    const payload: unknown = JSON.parse(value.payload)
    if (isJsonObject(payload)) return payload
  } catch {
    // Said below.
  }
  throw new BadInput(file, 'payload is not a JSON object', where)
}
