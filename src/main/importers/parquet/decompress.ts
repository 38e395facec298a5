/** The compressions of parquet pages that are read: none, and those of pandas and pyarrow that come with Node. */
import zlib from 'node:zlib'

export const pageCodecs = ['UNCOMPRESSED', 'SNAPPY', 'GZIP', 'ZSTD'] as const
export type PageCodec = (typeof pageCodecs)[number]

export const isPageCodec = (name: string): name is PageCodec => (pageCodecs as readonly string[]).includes(name)

/** Never more than the page says: a longer one throws. Snappy is the decoder's own. */
export const compressors = {
  GZIP: (bytes: Uint8Array, size: number): Uint8Array => zlib.gunzipSync(bytes, { maxOutputLength: Math.max(1, size) }),
  ZSTD: (bytes: Uint8Array, size: number): Uint8Array => {
    // Node has it from 22.15 on.
    if (typeof zlib.zstdDecompressSync !== 'function') throw new Error('this Node has no zstd')
    return zlib.zstdDecompressSync(bytes, { maxOutputLength: Math.max(1, size) })
  },
}
