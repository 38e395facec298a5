import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkpoints, editedCopy, expectBadInput, scratchFolder } from './checkpoint-fixtures.ts'
import { openBase } from './hf-folder.ts'
import { readSafetensorsHeader, readTensorBytes, type TensorToWrite, writeSafetensors } from './safetensors.ts'

const scratch = scratchFolder()
const single = join(checkpoints, 'base_bf16')
const sharded = join(checkpoints, 'sharded_bf16')
const INDEX = 'model.safetensors.index.json'

let copies = 0
const copy = (from: string, edits: Readonly<Record<string, object>> = {}) =>
  editedCopy(from, join(scratch, `copy-${copies++}`), edits)

function withConfig(changes: object): () => unknown {
  const dir = copy(single, { 'config.json': changes })
  return () => openBase(dir)
}

type Tensors = Record<string, TensorToWrite>

/** A copy of the single-file checkpoint whose weights went through `edit`. */
function withTensors(edit: (tensors: Tensors) => Tensors): string {
  const dir = copy(single)
  const header = readSafetensorsHeader(join(single, 'model.safetensors'))
  const tensors = Object.fromEntries(
    [...header.tensors].map(([name, { dtype, shape }]) => [
      name,
      { dtype, shape, bytes: readTensorBytes(header, name) },
    ]),
  )
  writeSafetensors(join(dir, 'model.safetensors'), edit(tensors), { format: 'pt' })
  return dir
}

describe('golden checkpoints', () => {
  it('open with the right numbers', () => {
    const base = openBase(join(checkpoints, 'rope_eps_bf16'))
    expect(base.config).toEqual({
      hiddenSize: 64,
      intermediateSize: 128,
      layers: 2,
      heads: 4,
      kvHeads: 2,
      headDim: 16,
      vocabSize: 512,
      rmsNormEps: 1e-5,
      ropeTheta: 1e6,
      maxPositions: 512,
      tied: true,
    })
    expect(base.eosIds).toEqual([503, 501])
    expect(base.eosSource).toBe('generation_config.json')
    expect(openBase(join(checkpoints, 'untied_bf16')).tensors.has('lm_head.weight')).toBe(true)
  })

  it('hold the same values as one file, in shards, and as float32', () => {
    const [bf16, shards, f32] = [single, sharded, join(checkpoints, 'base_f32')].map((dir) => openBase(dir!))
    for (const name of bf16!.tensors.keys()) {
      const values = bf16!.float32(name)
      expect(shards!.float32(name)).toEqual(values)
      expect(f32!.float32(name)).toEqual(values)
    }
    expect(shards!.sha256()).toBe(bf16!.sha256())
    expect(f32!.sha256()).not.toBe(bf16!.sha256())
    expect(() => bf16!.float32('nothing')).toThrow(/no tensor nothing/)
  })

  it('change their hash with any weight and with any number of the config', () => {
    const original = openBase(single).sha256()
    const dir = withTensors((tensors) => {
      const norm = tensors['model.norm.weight']!
      const bytes = Uint8Array.from(norm.bytes as Uint8Array)
      bytes[0]! ^= 1
      return { ...tensors, 'model.norm.weight': { ...norm, bytes } }
    })
    expect(openBase(dir).sha256()).not.toBe(original)
    expect(openBase(copy(single, { 'config.json': { rms_norm_eps: 1e-5 } })).sha256()).not.toBe(original)
    expect(openBase(withTensors((tensors) => tensors)).sha256()).toBe(original)
  })
})

describe('config.json', () => {
  it('is read in the spelling of transformers 5 as well', () => {
    const dir = copy(single, {
      'config.json': {
        rope_theta: undefined,
        rope_parameters: { rope_theta: 10000.0, rope_type: 'default' },
        torch_dtype: undefined,
        dtype: 'bfloat16',
        layer_types: ['full_attention', 'full_attention'],
      },
    })
    expect(openBase(dir).sha256()).toBe(openBase(single).sha256())
    expect(openBase(copy(single, { 'config.json': { head_dim: 16 } })).config.headDim).toBe(16)
    expect(openBase(copy(single, { 'config.json': { sliding_window: 4096 } })).config.layers).toBe(2)
  })

  it('is refused with the key, when it asks for another model', () => {
    const cases: [object, RegExp][] = [
      [{ model_type: 'llama' }, /config.json: model_type is "llama"; only "qwen2"/],
      [{ model_type: undefined }, /model_type is null/],
      [{ architectures: ['Qwen2ForSequenceClassification'] }, /architectures/],
      [{ hidden_act: 'gelu' }, /hidden_act "gelu"/],
      [{ attention_dropout: 0.1 }, /attention_dropout 0.1/],
      [{ use_sliding_window: true, sliding_window: 128 }, /sliding-window/],
      [{ layer_types: ['full_attention', 'sliding_attention'] }, /sliding-window/],
      [{ rope_scaling: { type: 'yarn', factor: 4 } }, /rope_scaling of type "yarn"/],
      [{ rope_parameters: { rope_type: 'linear', rope_theta: 10000 } }, /rope_parameters of type "linear"/],
      [{ rope_parameters: { rope_theta: 5 } }, /disagree/],
      [{ quantization_config: { bits: 4 } }, /quantization_config/],
      [{ hidden_size: undefined }, /the key hidden_size is missing/],
      [{ num_key_value_heads: undefined }, /the key num_key_value_heads is missing/],
      [{ rope_theta: undefined }, /the key rope_theta is missing/],
      [{ rms_norm_eps: 0 }, /rms_norm_eps must be a positive number/],
      [{ num_hidden_layers: -2 }, /num_hidden_layers must be a whole number/],
      [{ num_hidden_layers: 1e9 }, /from 1 to 1024/],
      [{ vocab_size: '512' }, /vocab_size must be a whole number/],
      [{ num_key_value_heads: 3 }, /not a multiple of num_key_value_heads 3/],
      [{ num_attention_heads: 6, num_key_value_heads: 2 }, /hidden_size 64 is not a multiple/],
      [{ head_dim: 15 }, /is odd/],
      [{ head_dim: 8 }, /wrong shape .*q_proj/],
      [{ num_hidden_layers: 3 }, /weights lack a tensor.*\(tensor model.layers.2/],
      [{ num_hidden_layers: 1 }, /no part of the model.*\(tensor model.layers.1/],
      [
        { vocab_size: 500 },
        /wrong shape \[512, 64\], config.json asks for \[500, 64\] \(tensor model.embed_tokens.weight\)/,
      ],
      [{ tie_word_embeddings: 'yes' }, /tie_word_embeddings must be/],
      [{ tie_word_embeddings: false }, /an untied model needs it.*\(tensor lm_head.weight\)/],
    ]
    for (const [changes, message] of cases) expectBadInput(withConfig(changes), message, JSON.stringify(changes))
  })

  it('is refused when it is no JSON object', () => {
    const dir = copy(single)
    const config = join(dir, 'config.json')
    for (const [text, message] of [
      ['', /config.json: the file is empty/],
      ['{\n"a": 1,\n}', /config.json: is not valid JSON.*\(line 3\)/],
      ['[]', /must hold a JSON object/],
      ['{"hidden_size": 64,\n"hidden_size": 65}', /"hidden_size" stands twice \(line 2\)/],
      [Buffer.from([0x7b, 0xff, 0x7d]), /not valid UTF-8/],
    ] as const) {
      writeFileSync(config, text)
      expectBadInput(() => openBase(dir), message, String(text))
    }
    rmSync(config)
    expectBadInput(() => openBase(dir), /config.json: file not found/)
    expectBadInput(() => openBase(join(scratch, 'nowhere')), /nowhere: file not found/)
    expectBadInput(() => openBase(join(single, 'config.json')), /is not a folder/)
  })
})

describe('weights', () => {
  it('must be there once, and never as a pickle', () => {
    const dir = copy(single)
    writeFileSync(join(dir, INDEX), '{}')
    expectBadInput(() => openBase(dir), /holds both model.safetensors and/)
    rmSync(join(dir, INDEX))
    renameSync(join(dir, 'model.safetensors'), join(dir, 'model-00001-of-00002.safetensors'))
    expectBadInput(() => openBase(dir), /the index of the shards is missing/)
    renameSync(join(dir, 'model-00001-of-00002.safetensors'), join(dir, 'pytorch_model.bin'))
    expectBadInput(() => openBase(dir), /a pickle, which is never read/)
    rmSync(join(dir, 'pytorch_model.bin'))
    expectBadInput(() => openBase(dir), /has no model.safetensors/)
  })

  it('must be exactly those of the config, as floats', () => {
    const cases: [(tensors: Tensors) => Tensors, RegExp][] = [
      [({ 'model.norm.weight': _gone, ...rest }) => rest, /weights lack a tensor.*\(tensor model.norm.weight\)/],
      [
        (tensors) => ({ ...tensors, 'model.extra': tensors['model.norm.weight']! }),
        /no part of the model.*\(tensor model.extra\)/,
      ],
      [
        (tensors) => ({ ...tensors, 'model.norm.weight': { ...tensors['model.norm.weight']!, shape: [8, 8] } }),
        /wrong shape \[8, 8\]/,
      ],
      [
        (tensors) => ({ ...tensors, 'model.norm.weight': { ...tensors['model.norm.weight']!, dtype: 'I16' } }),
        /dtype I16/,
      ],
    ]
    for (const [edit, message] of cases) expectBadInput(() => openBase(withTensors(edit)), message)
    const buffer: TensorToWrite = { dtype: 'F32', shape: [8], bytes: new Uint8Array(32) }
    const dir = withTensors((tensors) => ({ ...tensors, 'model.rotary_emb.inv_freq': buffer }))
    expect(openBase(dir).sha256()).toBe(openBase(single).sha256())
  })

  it('of a tied model may repeat the embedding only byte for byte', () => {
    const repeated = withTensors((tensors) => ({ ...tensors, 'lm_head.weight': tensors['model.embed_tokens.weight']! }))
    const base = openBase(repeated)
    expect(base.tensors.has('lm_head.weight')).toBe(false)
    expect(base.sha256()).toBe(openBase(single).sha256())
    const other = withTensors((tensors) => {
      const embedding = tensors['model.embed_tokens.weight']!
      const bytes = Uint8Array.from(embedding.bytes as Uint8Array)
      bytes[bytes.length - 1]! ^= 1
      return { ...tensors, 'lm_head.weight': { ...embedding, bytes } }
    })
    expectBadInput(() => openBase(other), /differs from model.embed_tokens.weight.*\(tensor lm_head.weight\)/)
  })

  it('that shrink after they were opened are refused at the read', () => {
    const dir = copy(single)
    const base = openBase(dir)
    const bytes = readFileSync(join(dir, 'model.safetensors'))
    writeFileSync(join(dir, 'model.safetensors'), bytes.subarray(0, 5000))
    expectBadInput(() => base.float32('model.norm.weight'), /shorter since it was opened/)
  })
})

describe('shards', () => {
  /** A copy of the sharded checkpoint with an altered index. */
  function withIndex(edit: (map: Record<string, unknown>) => Record<string, unknown> | undefined): () => unknown {
    const index = JSON.parse(readFileSync(join(sharded, INDEX), 'utf8')) as { weight_map: Record<string, unknown> }
    const dir = copy(sharded, { [INDEX]: { weight_map: edit(index.weight_map) } })
    return () => openBase(dir)
  }
  const NAME = 'model.norm.weight'

  it('stay inside the folder', () => {
    const paths = [
      '../base_bf16/model.safetensors',
      '/etc/passwd.safetensors',
      'a/b.safetensors',
      '..',
      'C:\\x.safetensors',
      '.safetensors',
      7,
      '',
    ]
    for (const path of paths) {
      const run = withIndex((map) => ({ ...map, [NAME]: path }))
      expectBadInput(
        run,
        /is not the name of a .safetensors file in this folder \(tensor model.norm.weight\)/,
        String(path),
      )
    }
  })

  it('match their index in both directions', () => {
    expectBadInput(
      withIndex((map) => ({ ...map, [NAME]: 'model-00009-of-00003.safetensors' })),
      /shard model-00009-of-00003.safetensors is missing/,
    )
    expectBadInput(
      withIndex((map) => ({ ...map, [NAME]: 'model-00001-of-00003.safetensors' })),
      /shard does not hold \(tensor model.norm.weight\)/,
    )
    expectBadInput(
      withIndex(({ [NAME]: _gone, ...map }) => map),
      /index does not place here \(tensor model.norm.weight\)/,
    )
    expectBadInput(
      withIndex((map) => ({ ...map, extra: map[NAME] })),
      /shard does not hold \(tensor extra\)/,
    )
    expectBadInput(
      withIndex(() => ({})),
      /weight_map is empty/,
    )
    expectBadInput(
      withIndex(() => undefined),
      /weight_map is missing/,
    )
  })
})

describe('the Hugging Face cache', () => {
  it('is a folder of links to blobs, which are followed to the real files', () => {
    const blobs = join(scratch, 'hub/models--x/blobs')
    const snapshot = join(scratch, 'hub/models--x/snapshots/abc')
    mkdirSync(blobs, { recursive: true })
    mkdirSync(snapshot, { recursive: true })
    const names = ['config.json', 'generation_config.json', INDEX, 1, 2, 3].map((name) =>
      typeof name === 'number' ? `model-0000${name}-of-00003.safetensors` : name,
    )
    for (const name of names) {
      const bytes = readFileSync(join(sharded, name))
      const blob = join(blobs, createHash('sha256').update(bytes).digest('hex'))
      writeFileSync(blob, bytes)
      symlinkSync(join('../../blobs', basename(blob)), join(snapshot, name))
    }
    const base = openBase(snapshot)
    expect(base.sha256()).toBe(openBase(sharded).sha256())
    for (const { file } of base.tensors.values()) expect(file).toMatch(/\/blobs\/[0-9a-f]{64}$/)
    rmSync(realpathSync(join(snapshot, names.at(-1)!)))
    expectBadInput(() => openBase(snapshot), /shard model-00003-of-00003.safetensors is missing/)
  })
})

describe('end-of-text ids', () => {
  const generation = (changes: object) => copy(single, { 'generation_config.json': changes })

  it('of base and Instruct folders differ, and each is taken from its own files', () => {
    const instruct = openBase(generation({ eos_token_id: [503, 501] }))
    const plain = openBase(generation({ eos_token_id: 501 }))
    expect([instruct.eosIds, plain.eosIds]).toEqual([[503, 501], [501]])
    expect(instruct.sha256()).toBe(plain.sha256())
  })

  it('come from generation_config.json, else config.json, else the tokenizer', () => {
    const dir = generation({ eos_token_id: undefined })
    expect(openBase(dir)).toMatchObject({ eosIds: [503], eosSource: 'config.json' })
    rmSync(join(dir, 'generation_config.json'))
    expect(openBase(dir)).toMatchObject({ eosIds: [503], eosSource: 'config.json' })
    const bare = copy(single, { 'config.json': { eos_token_id: null }, 'generation_config.json': { eos_token_id: [] } })
    expect(openBase(bare)).toMatchObject({ eosIds: [503], eosSource: 'tokenizer_config.json' })
    const none = copy(bare, { 'tokenizer_config.json': { eos_token: null } })
    expectBadInput(() => openBase(none), /no end-of-text id/)
  })

  it('must be ids of the vocabulary', () => {
    for (const id of [512, -1, 1.5, 'x', [501, null]]) {
      expectBadInput(() => openBase(generation({ eos_token_id: id })), /is not an id of the vocabulary/, String(id))
    }
    expect(openBase(generation({ eos_token_id: [501, 501] })).eosIds).toEqual([501])
  })
})
