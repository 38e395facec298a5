/** The footer of a parquet file: judged as bytes, decoded, judged as data; and which of its columns are flat. */
import { parquetMetadata } from 'hyparquet'
import { z } from 'zod'
import { BadInput } from '../../../shared/bad-input.ts'
import type { ByteSource } from '../bytes.ts'
import { requireStruct } from './page-bounds.ts'

const magic = 0x31524150
const largestFooter = 1 << 20
/** A step's completions have a few columns and some thousand rows. */
const mostRows = 1_000_000
const mostColumns = 512

export type DecodedFooter = ReturnType<typeof parquetMetadata>

/** What is relied on; a damaged footer decodes to an object that lacks some of it. */
const footerSchema = z.object({
  schema: z
    .array(
      z.object({
        name: z.string(),
        type: z.string().optional(),
        num_children: z.int().nonnegative().optional(),
        repetition_type: z.string().optional(),
      }),
    )
    .min(1)
    .max(mostColumns),
  row_groups: z.array(
    z.object({
      num_rows: z.bigint().nonnegative(),
      columns: z.array(
        z.object({
          file_path: z.string().optional(),
          meta_data: z.object({
            type: z.string(),
            path_in_schema: z.array(z.string()),
            codec: z.string(),
            total_compressed_size: z.bigint().nonnegative(),
            data_page_offset: z.bigint().nonnegative(),
            dictionary_page_offset: z.bigint().nonnegative().optional(),
          }),
        }),
      ),
    }),
  ),
})
export type SoundFooter = z.infer<typeof footerSchema>
export type SoundGroup = SoundFooter['row_groups'][number]

export interface FlatColumn {
  readonly name: string
  readonly type: string
  readonly optional: boolean
}

export interface ParquetFooter {
  /** For the decoder. */
  readonly decoded: DecodedFooter
  readonly groups: readonly SoundGroup[]
  /** The columns that hold one plain value a row, in the file's order. */
  readonly columns: readonly FlatColumn[]
}

/** Throws `BadInput` for anything that is no sound parquet file. */
export function readFooter(path: string, source: ByteSource): ParquetFooter {
  const word = (at: number) => new DataView(source.read(at, 4).buffer).getUint32(0, true)
  if (source.length < 12 || word(0) !== magic || word(source.length - 4) !== magic)
    throw new BadInput(path, 'is not a parquet file')
  const length = word(source.length - 8)
  const start = source.length - 8 - length
  if (length > largestFooter || start < 4)
    throw source.fault(`is a damaged parquet file: it announces a footer of ${length} bytes`, source.length - 8)
  const footer = source.read(start, length + 8)
  requireStruct(source, new DataView(footer.buffer, 0, length), 0, start)
  const damaged = () => source.fault('is a damaged parquet file: its footer cannot be read', start)
  let decoded: DecodedFooter
  try {
    decoded = parquetMetadata(footer, { geoparquet: false })
  } catch {
    throw damaged()
  }
  const sound = footerSchema.safeParse(decoded)
  if (!sound.success) throw damaged()
  const { schema, row_groups: groups } = sound.data
  const rows = groups.reduce((sum, { num_rows }) => sum + num_rows, 0n)
  if (rows > mostRows) throw new BadInput(path, `has ${rows} rows; at most ${mostRows} are read`)
  return { decoded, groups, columns: flatColumns(path, schema) }
}

const types = new Set(['BOOLEAN', 'INT32', 'INT64', 'FLOAT', 'DOUBLE', 'BYTE_ARRAY'])

function flatColumns(path: string, schema: SoundFooter['schema']): FlatColumn[] {
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

function afterElement(schema: SoundFooter['schema'], at: number, depth: number): number {
  let next = at + 1
  if (depth > 16) return schema.length
  for (let child = 0; child < (schema[at]?.num_children ?? 0) && next < schema.length; child++)
    next = afterElement(schema, next, depth + 1)
  return next
}
