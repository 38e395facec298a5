/** Rows of a parquet file with flat columns, a row group at a time. The file's own lengths are judged before any is believed. */
import { parquetRead } from 'hyparquet'
import { BadInput } from '../../../shared/bad-input.ts'
import { type ByteSource, openBytes } from '../bytes.ts'
import { type ColumnChunk, requireSoundColumn } from './column-bounds.ts'
import { compressors, isPageCodec, pageCodecs } from './decompress.ts'
import { type FlatColumn, type ParquetFooter, readFooter, type SoundGroup } from './parquet-footer.ts'

/** A whole number, a float, a text, true or false, or missing. */
export type Cell = number | string | boolean | null

export interface ParquetRows {
  /** Flat columns of numbers, texts and booleans, in the file's order. Others are passed over. */
  readonly columns: readonly { readonly name: string; readonly numeric: boolean }[]
  rows(): AsyncGenerator<ReadonlyMap<string, Cell>>
  close(): void
}

/** Throws `BadInput` for anything that is no sound parquet file. The caller closes it. */
export function openParquet(path: string): ParquetRows {
  const source = openBytes(path)
  try {
    const footer = readFooter(path, source)
    return {
      columns: footer.columns.map(({ name, type }) => ({ name, numeric: type !== 'BYTE_ARRAY' && type !== 'BOOLEAN' })),
      rows: () => rowsOf(path, source, footer),
      close: () => source.close(),
    }
  } catch (error) {
    source.close()
    throw error
  }
}

async function* rowsOf(
  path: string,
  source: ByteSource,
  footer: ParquetFooter,
): AsyncGenerator<ReadonlyMap<string, Cell>> {
  const { columns, groups } = footer
  if (columns.length === 0) throw new BadInput(path, 'has no column of plain values')
  let start = 0
  for (const group of groups) {
    const rows = Number(group.num_rows)
    for (const column of columns) requireSoundColumn(source, chunkOf(path, group, column), rows)
    if (rows > 0) yield* await decode(path, source, footer, start, start + rows)
    start += rows
  }
}

function chunkOf(path: string, group: SoundGroup, { name, type, optional }: FlatColumn): ColumnChunk {
  const refuse = (problem: string): never => {
    throw new BadInput(path, `column ${JSON.stringify(name.slice(0, 60))} ${problem}`)
  }
  const [chunk, second] = group.columns.filter(({ meta_data }) => meta_data.path_in_schema.join('.') === name)
  if (chunk === undefined || second !== undefined || chunk.file_path) return refuse('is not in every row group once')
  const column = chunk.meta_data
  if (column.type !== type) return refuse('changes its type')
  if (!isPageCodec(column.codec)) return refuse(`is compressed with ${column.codec}; ${pageCodecs.join(', ')} are read`)
  const start = Number(column.dictionary_page_offset || column.data_page_offset)
  const length = Number(column.total_compressed_size)
  return { name, start, length, codec: column.codec, boolean: type === 'BOOLEAN', optional }
}

async function decode(
  path: string,
  source: ByteSource,
  { decoded: metadata, columns }: ParquetFooter,
  rowStart: number,
  rowEnd: number,
): Promise<ReadonlyMap<string, Cell>[]> {
  const names = columns.map(({ name }) => name)
  let decoded: unknown[][] = []
  try {
    await parquetRead({
      file: {
        byteLength: source.length,
        slice: (start, end = source.length) => source.read(start, end - start).buffer,
      },
      metadata,
      columns: names,
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
  return decoded.map((row, k) => new Map(names.map((name, c) => [name, cell(path, name, rowStart + k, row[c])])))
}

function cell(path: string, name: string, row: number, value: unknown): Cell {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number')
    return value
  if (typeof value === 'bigint') return Number(value)
  throw new BadInput(path, `column ${JSON.stringify(name.slice(0, 60))} holds no plain value`, `row ${row}`)
}
