/**
 * A Qwen2 checkpoint of random weights, written once as a Hugging Face folder that both sides of a comparison load. Its
 * tokenizer knows bytes only: what is measured is time, never text.
 */
import { mkdirSync, statfsSync } from 'node:fs'
import path from 'node:path'
import { BadInput } from '../../../shared/bad-input.ts'
import type { Qwen2Config } from '../checkpoint/base-model.ts'
import { byteSymbols } from '../checkpoint/byte-decoder.ts'
import { writeHfFolder } from '../checkpoint/hf-write.ts'
import { baseTensors } from '../checkpoint/qwen2-tensors.ts'
import type { Preset } from './presets.ts'

/** Standard deviation of the weights; uniform, so ±√3 of it. */
const DEVIATION = 0.02
const EOS = '<|im_end|>'
const DISK_RESERVE = 256 * 1024 * 1024

export function writeRandomModel(dir: string, { config, dtype }: Preset, seed: number): void {
  const next = uniformBits(seed)
  const tensors = new Map(
    baseTensors(config).map(({ name, shape }) => {
      const values = new Float32Array(shape.reduce((product, dim) => product * dim, 1))
      if (name.endsWith('norm.weight')) values.fill(1)
      else fill(values, next)
      return [name, values]
    }),
  )
  writeHfFolder(dir, { config, tensors, dtype, eosIds: [256], padId: 257, tokenizerFiles: byteTokenizer() })
}

/** @throws BadInput when the checkpoint and its float32 copy would not fit beside what is on the disk */
export function requireDisk(folder: string, { config, dtype }: Preset): void {
  mkdirSync(folder, { recursive: true })
  const values = parameters(config)
  const need = (dtype === 'F32' ? 4 : 2 + 4) * values + DISK_RESERVE
  const { bavail, bsize } = statfsSync(folder)
  const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6)} MB`
  if (bavail * bsize < need)
    throw new BadInput(
      path.resolve(folder),
      `this preset needs ${megabytes(need)} of disk, ${megabytes(bavail * bsize)} are free; set TMPDIR to another disk`,
    )
}

export function parameters(config: Qwen2Config): number {
  return baseTensors(config).reduce((sum, { shape }) => sum + shape.reduce((product, dim) => product * dim, 1), 0)
}

/** xorshift32: half a billion weights in seconds. */
function uniformBits(seed: number): () => number {
  let x = (seed * 2_654_435_761 + 1) >>> 0 || 1
  return () => {
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    return x
  }
}

function fill(values: Float32Array, next: () => number): void {
  const scale = (DEVIATION * Math.sqrt(3)) / 2 ** 31
  for (let i = 0; i < values.length; i++) values[i] = next() * scale
}

function byteTokenizer(): Record<string, string> {
  const special = (id: number, content: string) => ({
    id,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  })
  const tokenizer = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [special(256, EOS), special(257, '<|endoftext|>')],
    normalizer: null,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: true },
    post_processor: null,
    decoder: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: true },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: '',
      end_of_word_suffix: '',
      fuse_unk: false,
      byte_fallback: false,
      vocab: Object.fromEntries(byteSymbols().map((symbol, byte) => [symbol, byte])),
      merges: [],
    },
  }
  const config = {
    tokenizer_class: 'Qwen2Tokenizer',
    eos_token: EOS,
    pad_token: '<|endoftext|>',
    model_max_length: 2048,
    chat_template:
      "{% for message in messages %}{{ message['role'] + ': ' + message['content'] + '<|im_end|>' }}{% endfor %}",
  }
  return { 'tokenizer.json': JSON.stringify(tokenizer), 'tokenizer_config.json': JSON.stringify(config) }
}
