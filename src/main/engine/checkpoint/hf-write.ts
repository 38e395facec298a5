/** Writes a Qwen2 checkpoint as a Hugging Face folder that transformers (4 and 5) and `openBase` load. */
import { join } from 'node:path'
import { writeFileAtomically, writeFolderAtomically } from './atomic-write.ts'
import type { Qwen2Config } from './base-model.ts'
import { narrowBf16 } from './float-widening.ts'
import { qwen2ConfigJson } from './qwen2-config.ts'
import { baseTensors } from './qwen2-tensors.ts'
import { type TensorToWrite, writeSafetensors } from './safetensors.ts'

export interface HfFolder {
  readonly config: Qwen2Config
  /** Every tensor of `baseTensors(config)` as float32, row-major; nothing else. */
  readonly tensors: ReadonlyMap<string, Float32Array>
  /** Values are rounded to nearest even for BF16. */
  readonly dtype: 'F32' | 'BF16'
  /** Ids that end a generation; the first one also stands in config.json. */
  readonly eosIds: readonly number[]
  readonly padId?: number
  readonly bosId?: number
  /** tokenizer.json, tokenizer_config.json and whatever belongs to them, by file name. */
  readonly tokenizerFiles: Readonly<Record<string, string | Uint8Array>>
}

/**
 * The folder appears whole by rename; equal input gives equal bytes. A tied model has no `lm_head.weight`.
 * @throws BadInput when `dir` holds something and `overwrite` is not set; Error when tensors do not fit the config
 */
export function writeHfFolder(dir: string, model: HfFolder, options: { readonly overwrite?: boolean } = {}): void {
  const { config, tensors, dtype, eosIds, tokenizerFiles } = model
  if (eosIds.length === 0) throw new Error('a checkpoint needs at least one end-of-text id')
  const stored = storable(config, tensors, dtype)
  const ids = {
    ...(model.bosId === undefined ? {} : { bosId: model.bosId }),
    ...(model.padId === undefined ? {} : { padId: model.padId }),
  }
  const generation = {
    ...(model.bosId === undefined ? {} : { bos_token_id: model.bosId }),
    do_sample: false,
    eos_token_id: eosIds.length === 1 ? eosIds[0] : eosIds,
    ...(model.padId === undefined ? {} : { pad_token_id: model.padId }),
  }
  writeFolderAtomically(
    dir,
    (temporary) => {
      const json = (name: string, value: object) =>
        writeFileAtomically(join(temporary, name), [Buffer.from(`${JSON.stringify(value, null, 2)}\n`)])
      json('config.json', qwen2ConfigJson(config, { ...ids, eosIds, dtype }))
      json('generation_config.json', generation)
      for (const [name, content] of Object.entries(tokenizerFiles)) {
        writeFileAtomically(join(temporary, name), [typeof content === 'string' ? Buffer.from(content) : content])
      }
      writeSafetensors(join(temporary, 'model.safetensors'), stored, { format: 'pt' })
    },
    options,
  )
}

function storable(
  config: Qwen2Config,
  tensors: ReadonlyMap<string, Float32Array>,
  dtype: 'F32' | 'BF16',
): Record<string, TensorToWrite> {
  const stored: Record<string, TensorToWrite> = {}
  for (const { name, shape } of baseTensors(config)) {
    const values = tensors.get(name)
    const size = shape.reduce((product, dim) => product * dim, 1)
    if (values?.length !== size)
      throw new Error(`tensor ${name}: ${values?.length ?? 'no'} values, the config needs ${size}`)
    const bytes = () => {
      const data = dtype === 'F32' ? values : narrowBf16(values)
      return new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    }
    stored[name] = { dtype, shape, bytes }
  }
  const extra = [...tensors.keys()].find((name) => stored[name] === undefined)
  if (extra !== undefined) {
    throw new Error(`tensor ${extra} is no part of a ${config.tied ? 'tied ' : ''}model of this config`)
  }
  return stored
}
