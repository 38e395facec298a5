/** Rows of a parquet file with flat columns, a row group at a time. The file's own lengths are judged before any is believed. */
import { parquetMetadata, parquetRead } from 'hyparquet'
import { BadInput } from '../../../shared/bad-input.ts'
import { type ByteSource, openBytes } from '../bytes.ts'
import { type ColumnChunk, requireSoundColumn } from './column-bounds.ts'
import { compressors, isPageCodec, pageCodecs } from './decompress.ts'
import { requireStruct } from './page-bounds.ts'

/** A whole number, a float, a text, true or false, or missing. */
export type Cell = number | string | boolean | null

export interface ParquetRows {
  /** Flat columns of numbers, texts and booleans, in the file's order. Others are passed over. */
  readonly columns: readonly { readonly name: string; readonly numeric: boolean }[]
  rows(): AsyncGenerator<ReadonlyMap<string, Cell>>
  close(): void
}

const magic = 0x31524150
const largestFooter = 1 << 20
const mostRows = 1_000_000
const mostColumns = 512
const types = new Set(['BOOLEAN', 'INT32', 'INT64', 'FLOAT', 'DOUBLE', 'BYTE_ARRAY'])

type Metadata = ReturnType<typeof parquetMetadata>

/** Throws `BadInput` for anything that is no sound parquet file. The caller closes it. */
export function openParquet(path: string): ParquetRows {
  const source = openBytes(path)
  try {
    const metadata = footerOf(path, source)
    const columns = flatColumns(path, metadata)
    return {
      columns: columns.map(({ name, type }) => ({ name, numeric: type !== 'BYTE_ARRAY' && type !== 'BOOLEAN' })),
      rows: () => rowsOf(path, source, metadata, columns),
      close: () => source.close(),
    }
  } catch (error) {
    source.close()
    throw error
  }
}

function footerOf(path: string, source: ByteSource): Metadata {
  const tail = source.length < 12 ? null : new DataView(source.read(source.length - 8, 8).buffer)
  const head = source.length < 12 ? null : new DataView(source.read(0, 4).buffer)
  if (tail?.getUint32(4, true) !== magic || head?.getUint32(0, true) !== magic)
    throw new BadInput(path, 'is not a parquet file')
  const length = tail.getUint32(0, true)
  const start = source.length - 8 - length
  if (length > largestFooter || start < 4)
    throw source.fault(`is a damaged parquet file: it announces a footer of ${length} bytes`, source.length - 8)
  const footer = source.read(start, length + 8)
  requireStruct(source, new DataView(footer.buffer, 0, length), 0, start)
  try {
    return parquetMetadata(footer, { geoparquet: false })
  } catch {
    throw source.fault('is a damaged parquet file: its footer cannot be read', start)
  }
}

interface FlatColumn {
  readonly name: string
  readonly type: string
  readonly optional: boolean
}

/** The columns that hold one plain value a row. */
function flatColumns(path: string, { schema, row_groups }: Metadata): FlatColumn[] {
  const rows = row_groups.reduce((sum, group) => sum + Number(group.num_rows ?? Number.NaN), 0)
  if (schema.length > mostColumns || !(rows <= mostRows) || row_groups.some(({ num_rows }) => !(num_rows >= 0)))
    throw new BadInput(
      path,
      `is refused: ${schema.length} columns and ${rows} rows are more than a step's completions, or damaged`,
    )
  const flat: FlatColumn[] = []
  // The schema lists the root, then each column before its parts.
  for (let k = 1; k < schema.length; k = afterElement(schema, k, 0)) {
    const { name, type, num_children, repetition_type } = schema[k]!
    if (num_children || type === undefined || !types.has(type) || repetition_type === 'REPEATED') continue
    flat.push({ name, type, optional: repetition_type !== 'REQUIRED' })
  }
  if (new Set(flat.map(({ name }) => name)).size !== flat.length)
    throw new BadInput(path, 'has two columns of one name')
  return flat
}

function afterElement(schema: Metadata['schema'], at: number, depth: number): number {
  let next = at + 1
  if (depth > 16) return schema.length
  for (let child = 0; child < (schema[at]?.num_children ?? 0) && next < schema.length; child++)
    next = afterElement(schema, next, depth + 1)
  return next
}

async function* rowsOf(
  path: string,
  source: ByteSource,
  metadata: Metadata,
  columns: readonly FlatColumn[],
): AsyncGenerator<ReadonlyMap<string, Cell>> {
  const names = columns.map(({ name }) => name)
  let start = 0
  for (const group of metadata.row_groups) {
    const rows = Number(group.num_rows)
    for (const column of columns) requireSoundColumn(source, chunkOf(path, group, column), rows)
    if (rows > 0) for (const row of await decode(path, source, metadata, names, start, start + rows)) yield row
    start += rows
  }
}

function chunkOf(
  path: string,
  group: Metadata['row_groups'][number],
  { name, type, optional }: FlatColumn,
): ColumnChunk {
  const refuse = (problem: string): never => {
    throw new BadInput(path, `column ${JSON.stringify(name.slice(0, 60))} ${problem}`)
  }
  const [chunk, second] = group.columns.filter(({ meta_data }) => meta_data?.path_in_schema.join('.') === name)
  const column = chunk?.meta_data
  if (column === undefined || second !== undefined || chunk?.file_path) return refuse('is not in every row group once')
  if (column.type !== type) return refuse('changes its type')
  const start = Number(column.dictionary_page_offset || column.data_page_offset)
  const length = Number(column.total_compressed_size)
  if (!isPageCodec(column.codec)) return refuse(`is compressed with ${column.codec}; ${pageCodecs.join(', ')} are read`)
  return { name, start, length, codec: column.codec, boolean: type === 'BOOLEAN', optional }
}

async function decode(
  path: string,
  source: ByteSource,
  metadata: Metadata,
  columns: readonly string[],
  rowStart: number,
  rowEnd: number,
): Promise<ReadonlyMap<string, Cell>[]> {
  let decoded: unknown[][] = []
  try {
    await parquetRead({
      file: {
        byteLength: source.length,
        slice: (start, end = source.length) => source.read(start, end - start).buffer,
      },
      metadata,
      columns: [...columns],
      rowStart,
      rowEnd,
      compressors,
      onComplete: (rows: unknown[][]) => {
        decoded = rows
      },
    })
  } catch (error) {
    if (error instanceof BadInput) throw error
    throw new BadInput(
      path,
      'is a damaged parquet file: its values cannot be decoded',
      `rows ${rowStart} to ${rowEnd - 1}`,
    )
  }
  return decoded.map((row, k) => new Map(columns.map((name, c) => [name, cell(path, name, rowStart + k, row[c])])))
}

function cell(path: string, name: string, row: number, value: unknown): Cell {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number')
    return value
  if (typeof value === 'bigint') return Number(value)
  throw new BadInput(path, `column ${JSON.stringify(name.slice(0, 60))} holds no plain value`, `row ${row}`)
}
