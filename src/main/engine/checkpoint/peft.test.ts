import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkpoints, editedCopy, expectBadInput, golden, scratchFolder } from './checkpoint-fixtures.ts'
import { openBase } from './hf-folder.ts'
import { emptyState, type LearnedState, learnedSha256, tensorOf } from './learned-state.ts'
import { loraSpecs } from './lora-layout.ts'
import { readPeft, writePeft } from './peft.ts'
import { readReferenceState } from './reference-layout.ts'
import {
  readSafetensorsHeader,
  readTensor,
  readTensorBytes,
  type TensorToWrite,
  writeSafetensors,
} from './safetensors.ts'

const scratch = scratchFolder()
const base = openBase(join(checkpoints, 'base_f32'))
const peftFolder = join(golden, 'lora/peft_adapter')
const WEIGHTS = 'adapter_model.safetensors'

type Tensors = Record<string, TensorToWrite>

function goldenTensors(): Tensors {
  const header = readSafetensorsHeader(join(peftFolder, WEIGHTS))
  return Object.fromEntries(
    [...header.tensors].map(([name, { dtype, shape }]) => [
      name,
      { dtype, shape, bytes: readTensorBytes(header, name) },
    ]),
  )
}

function rewardState(headBias = true): LearnedState {
  const header = readSafetensorsHeader(join(golden, 'reward/adapter.safetensors'))
  const state = emptyState(loraSpecs(base.config, 8, { head: true, headBias }))
  for (const { name } of state.specs) tensorOf(state, name).set(readTensor(header, name) as Float32Array)
  return state
}

let variants = 0
/** A copy of PEFT's own folder with other settings or other tensors. */
function variant(settings: object, tensors?: Tensors): string {
  const dir = editedCopy(peftFolder, join(scratch, `variant-${variants++}`), { 'adapter_config.json': settings })
  if (tensors !== undefined) writeSafetensors(join(dir, WEIGHTS), tensors, { format: 'pt' })
  return dir
}

function renamed(rename: (key: string) => string): Tensors {
  return Object.fromEntries(Object.entries(goldenTensors()).map(([key, value]) => [rename(key), value]))
}

const SOME = 'base_model.model.model.layers.1.self_attn.q_proj.lora_A.weight'

describe('layout', () => {
  it('of Qwen2.5-0.5B has 168 projections, 4,399,104 LoRA parameters and a head of 897', () => {
    const config = {
      hiddenSize: 896,
      intermediateSize: 4864,
      layers: 24,
      heads: 14,
      kvHeads: 2,
      headDim: 64,
      vocabSize: 151936,
      rmsNormEps: 1e-6,
      ropeTheta: 1e6,
      maxPositions: 32768,
      tied: true,
    }
    const total = (specs: readonly { size: number }[]) => specs.reduce((sum, { size }) => sum + size, 0)
    const lora = loraSpecs(config, 8, { head: false })
    expect(lora.length).toBe(2 * 168)
    expect(total(lora)).toBe(4_399_104)
    expect(total(loraSpecs(config, 8, { head: true }))).toBe(4_399_104 + 897)
    expect(loraSpecs(config, 8, { head: true }).slice(-2)).toEqual([
      { name: 'head.weight', shape: [1, 896], offset: 4_399_104, size: 896 },
      { name: 'head.bias', shape: [1], offset: 4_400_000, size: 1 },
    ])
    expect(lora.slice(0, 2).map(({ name, shape }) => [name, ...shape])).toEqual([
      ['model.layers.0.self_attn.q_proj.lora_A', 8, 896],
      ['model.layers.0.self_attn.q_proj.lora_B', 896, 8],
    ])
  })
})

describe('reading', () => {
  it("PEFT's own folder gives the state of the reference study's file", () => {
    const adapter = readPeft(peftFolder, base)
    expect(adapter).toMatchObject({ rank: 8, alpha: 16, head: 'none', headBias: false })
    const reference = readReferenceState(join(golden, 'lora/seed_learned_state.safetensors'), base, 8)
    expect(learnedSha256(adapter.state)).toBe(learnedSha256(reference))
    expect(adapter.state.data.some((value) => value !== 0)).toBe(true)
  })

  it('takes every spelling of the keys', () => {
    const expected = learnedSha256(readPeft(peftFolder, base).state)
    const spellings: ((key: string) => string)[] = [
      (key) => key.replace('.weight', '.default.weight'),
      (key) => key.replace('base_model.model.', ''),
      (key) => key.replace('base_model.model.', '').replace('.weight', '.actor.weight'),
    ]
    for (const spelling of spellings) {
      expect(learnedSha256(readPeft(variant({}, renamed(spelling)), base).state)).toBe(expected)
    }
  })

  it('takes target_modules as list, pattern, full paths or all-linear', () => {
    const pattern = String.raw`.*\.(q|k|v|o|gate|up|down)_proj`
    for (const target_modules of [
      pattern,
      'all-linear',
      ['self_attn.q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'],
    ]) {
      expect(readPeft(variant({ target_modules }), base).rank).toBe(8)
    }
  })

  it('widens F16 and BF16 exactly', () => {
    const tensors = goldenTensors()
    const { shape } = tensors[SOME]!
    const size = shape[0]! * shape[1]!
    const one = { F16: 0x3e00, BF16: 0x3fc0 } as const
    for (const dtype of ['F16', 'BF16'] as const) {
      const halves = new Uint16Array(size).fill(one[dtype])
      const dir = variant({}, { ...tensors, [SOME]: { dtype, shape, bytes: new Uint8Array(halves.buffer) } })
      const { state } = readPeft(dir, base)
      expect(tensorOf(state, 'model.layers.1.self_attn.q_proj.lora_A')).toEqual(new Float32Array(size).fill(1.5))
    }
  })
})

describe('heads', () => {
  const reward = rewardState()

  it('go through a folder and come back, with and without bias, for rewards and values', () => {
    for (const head of ['score', 'v_head'] as const) {
      for (const headBias of [true, false]) {
        const state = headBias ? reward : rewardState(false)
        const dir = join(scratch, `${head}-${headBias}`)
        writePeft(dir, { state, rank: 8, alpha: 16, head })
        const back = readPeft(dir, base, { requireHead: head })
        expect(back).toMatchObject({ head, headBias, rank: 8, alpha: 16 })
        expect(learnedSha256(back.state)).toBe(learnedSha256(state))
        const keys = [...readSafetensorsHeader(join(dir, WEIGHTS)).tensors.keys()]
        expect(keys).toContain(`base_model.model.${head}.weight`)
        expect(keys.includes(`base_model.model.${head}.bias`)).toBe(headBias)
        const other = head === 'score' ? 'v_head' : 'score'
        expectBadInput(() => readPeft(dir, base, { requireHead: other }), new RegExp(`has no ${other} head`))
      }
    }
  })

  it('a reward adapter without its head is an error, never a fresh random head', () => {
    expectBadInput(() => readPeft(peftFolder, base, { requireHead: 'score' }), /has no score head.*random/)
    expectBadInput(() => readPeft(variant({ task_type: 'SEQ_CLS' }), base), /has no score head/)
    expectBadInput(() => readPeft(variant({ modules_to_save: ['v_head'] }), base), /has no v_head head/)
    expectBadInput(() => readPeft(variant({ modules_to_save: ['classifier', 'score'] }), base), /has no score head/)
  })

  it('takes the names that PEFT and TRL give to wrapped heads, and refuses two heads', () => {
    const weight: TensorToWrite = { dtype: 'F32', shape: [1, 64], bytes: new Uint8Array(256) }
    for (const key of [
      'base_model.model.score.modules_to_save.default.weight',
      'score.weight',
      'base_model.model.score.modules_to_save.weight',
    ]) {
      expect(readPeft(variant({}, { ...goldenTensors(), [key]: weight }), base).head).toBe('score')
    }
    for (const key of ['v_head.summary.weight', 'base_model.model.v_head.weight']) {
      expect(readPeft(variant({}, { ...goldenTensors(), [key]: weight }), base).head).toBe('v_head')
    }
    const two = { ...goldenTensors(), 'score.weight': weight, 'v_head.weight': weight }
    expectBadInput(() => readPeft(variant({}, two), base), /two heads/)
    const wide: TensorToWrite = { dtype: 'F32', shape: [2, 64], bytes: new Uint8Array(512) }
    expectBadInput(() => readPeft(variant({}, { ...goldenTensors(), 'score.weight': wide }), base), /shape \[2, 64\]/)
  })
})

describe('what is refused by name', () => {
  it('tensors that are missing, unexpected, misshapen, not floats or not finite', () => {
    const { [SOME]: some, ...rest } = goldenTensors()
    const bytes = some!.bytes as Uint8Array
    const nan = new Float32Array(bytes.byteLength / 4)
    nan[5] = Number.NaN
    const cases: [string, Tensors, RegExp][] = [
      ['missing', rest, new RegExp(`the tensor is missing.*\\(tensor ${SOME}\\)`)],
      [
        'unexpected',
        { ...goldenTensors(), 'lm_head.weight': some! },
        /not part of a LoRA adapter \(tensor lm_head.weight\)/,
      ],
      [
        'another layer',
        { ...goldenTensors(), [SOME.replace('.1.', '.2.')]: some! },
        /trained for another base \(tensor .*layers\.2\./,
      ],
      ['no match', { 'encoder.lora_A.weight': some! }, /not one of its tensors/],
      ['nothing', {}, /not one of its tensors/],
      ['twice', { ...goldenTensors(), [SOME.replace('base_model.model.', '')]: some! }, /means the same tensor as/],
      [
        'shape',
        { ...rest, [SOME]: { ...some!, shape: [64, 8] } },
        /shape \[64, 8\], this base and r need \[8, 64\]; the adapter was trained for another base/,
      ],
      ['integers', { ...rest, [SOME]: { ...some!, dtype: 'I32' } }, /dtype I32/],
      [
        'not finite',
        { ...rest, [SOME]: { ...some!, bytes: new Uint8Array(nan.buffer) } },
        /element 5 is NaN \(tensor .*layers\.1/,
      ],
    ]
    for (const [name, tensors, message] of cases)
      expectBadInput(() => readPeft(variant({}, tensors), base), message, name)
  })

  it('an adapter of another base model, in one line', () => {
    expectBadInput(
      () => readPeft(peftFolder, openBase(join(checkpoints, 'untied_bf16'))),
      /the tensor is missing; .*another base \(tensor .*layers\.2\./,
    )
  })

  it('settings that are not computed', () => {
    const cases: [object, RegExp][] = [
      [{ peft_type: 'LOHA' }, /peft_type is "LOHA"/],
      [{ r: 0 }, /r must be a positive/],
      [{ r: undefined }, /r must be a positive/],
      [{ r: 4 }, /this base and r need/],
      [{ lora_alpha: '16' }, /lora_alpha/],
      [{ bias: 'all' }, /bias "all"/],
      [{ use_rslora: true }, /use_rslora/],
      [{ use_dora: true }, /use_dora/],
      [{ use_tomorrow: true }, /use_tomorrow/],
      [{ rank_pattern: { q_proj: 4 } }, /rank_pattern/],
      [{ alpha_pattern: { q_proj: 4 } }, /alpha_pattern/],
      [{ layers_to_transform: [0] }, /layers_to_transform/],
      [{ init_lora_weights: 'pissa' }, /alters the base weights/],
      [{ modules_to_save: ['embed_tokens'] }, /modules_to_save names "embed_tokens"/],
      [{ target_modules: ['q_proj', 'v_proj'] }, /leaves out a projection.*\(module model.layers.0.self_attn.k_proj\)/],
      [
        { target_modules: ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj', 'lm_head'] },
        /\(module lm_head\)/,
      ],
      [{ target_modules: '(' }, /not a pattern/],
      [{ target_modules: null }, /must be a list/],
    ]
    for (const [settings, message] of cases) {
      expectBadInput(() => readPeft(variant(settings), base), message, JSON.stringify(settings))
    }
  })

  it('folders that are none, or hold pickles', () => {
    expectBadInput(() => readPeft(join(scratch, 'nowhere'), base), /folder not found/)
    expectBadInput(() => readPeft(join(peftFolder, WEIGHTS), base), /not a folder/)
    const dir = join(scratch, 'pickle')
    cpSync(join(peftFolder, 'adapter_config.json'), join(dir, 'adapter_config.json'))
    expectBadInput(() => readPeft(dir, base), /adapter_model.safetensors: file not found/)
    writeFileSync(join(dir, 'adapter_model.bin'), 'x')
    expectBadInput(() => readPeft(dir, base), /is a pickle/)
    writeFileSync(join(dir, 'adapter_config.json'), '{"r": 8, "r": 16}')
    expectBadInput(() => readPeft(dir, base), /"r" stands twice \(line 1\)/)
  })
})

describe('writing', () => {
  const { state } = readPeft(peftFolder, base)
  const adapter = { state, rank: 8, alpha: 16, head: 'none' as const }

  it('gives the tensors that PEFT gave, and equal bytes each time', () => {
    const dirs = ['first', 'second'].map((name) => join(scratch, name))
    for (const dir of dirs) writePeft(dir, adapter)
    for (const file of ['adapter_config.json', WEIGHTS]) {
      expect(readFileSync(join(dirs[0]!, file)).equals(readFileSync(join(dirs[1]!, file)))).toBe(true)
    }
    const ours = readSafetensorsHeader(join(dirs[0]!, WEIGHTS))
    const theirs = readSafetensorsHeader(join(peftFolder, WEIGHTS))
    expect([...ours.tensors.keys()].sort()).toEqual([...theirs.tensors.keys()].sort())
    for (const name of ours.tensors.keys()) expect(readTensor(ours, name)).toEqual(readTensor(theirs, name))
  })

  it('refuses to replace a folder that holds something unless told, and then replaces it whole', () => {
    const dir = join(scratch, 'replaced')
    writePeft(dir, adapter)
    writeFileSync(join(dir, 'notes.txt'), 'keep')
    expectBadInput(() => writePeft(dir, adapter), /exists and is not empty/)
    expect(existsSync(join(dir, 'notes.txt'))).toBe(true)
    writePeft(dir, adapter, { overwrite: true })
    expect(readdirSync(dir).sort()).toEqual(['adapter_config.json', WEIGHTS])
    expectBadInput(() => writePeft(join(dir, WEIGHTS), adapter), /is a file/)
  })

  it('leaves nothing behind when it fails', () => {
    const before = readdirSync(scratch)
    expect(() => writePeft(join(scratch, 'headless'), { ...adapter, head: 'score' })).toThrow(/lacks the head/)
    expect(() => writePeft(join(scratch, 'headed'), { ...adapter, state: rewardState() })).toThrow(/has a head/)
    expect(readdirSync(scratch)).toEqual(before)
  })

  it('works through a link to a folder', () => {
    const link = join(scratch, 'link')
    symlinkSync(peftFolder, link)
    expect(readPeft(link, base).rank).toBe(8)
  })
})
