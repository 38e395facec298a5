/** What the engine needs to know of a base checkpoint on disk. Opened by `hf-folder.ts`; nothing here can write to it. */

export interface Qwen2Config {
  readonly hiddenSize: number
  readonly intermediateSize: number
  readonly layers: number
  readonly heads: number
  readonly kvHeads: number
  readonly headDim: number
  /** Rows of the embedding table; may exceed the tokenizer's size (the surplus ids are undecodable). */
  readonly vocabSize: number
  readonly rmsNormEps: number
  readonly ropeTheta: number
  readonly maxPositions: number
  /** Output matrix is the embedding table; there is no `lm_head.weight`. */
  readonly tied: boolean
}

export type StoredDtype = 'F32' | 'F16' | 'BF16'

export interface StoredTensor {
  readonly name: string
  readonly dtype: StoredDtype
  readonly shape: readonly number[]
  /** Real path (symbolic links resolved) of the file that holds the bytes. */
  readonly file: string
  /** Byte offset of the first element in `file`, and length in bytes. */
  readonly offset: number
  readonly length: number
}

export interface BaseModel {
  readonly dir: string
  readonly config: Qwen2Config
  readonly tensors: ReadonlyMap<string, StoredTensor>
  /** Ids that end a generation, from generation_config.json, else config.json, else the tokenizer; never empty. */
  readonly eosIds: readonly number[]
  /** Which file `eosIds` came from. */
  readonly eosSource: string
  /** SHA-256 over config and every tensor's (name, dtype, shape, bytes); computed on first use, then kept. */
  sha256(): string
  /** One tensor's values as float32 (BF16 and F16 are widened exactly). Reads from disk at each call. */
  float32(name: string): Float32Array
}
