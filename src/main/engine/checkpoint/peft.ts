/** PEFT adapter folders: read what PEFT saves, write what PEFT loads. A head is never made up: it is read or missing. */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { BadInput } from '../../../shared/bad-input.ts'
import { writeFileAtomically, writeFolderAtomically } from './atomic-write.ts'
import type { BaseModel, Qwen2Config, StoredDtype } from './base-model.ts'
import { widen } from './float-widening.ts'
import { readJsonObject } from './input-file.ts'
import { emptyState, type LearnedState, type TensorSpec } from './learned-state.ts'
import { loraSpecs } from './lora-layout.ts'
import { parsePeftConfig, peftConfigJson } from './peft-config.ts'
import { learnedName, peftName } from './peft-names.ts'
import { projections, sameShape } from './qwen2-tensors.ts'
import { readSafetensorsHeader, readTensorBytes, type SafetensorsHeader, writeSafetensors } from './safetensors.ts'

export type HeadKind = 'none' | 'score' | 'v_head'

export interface PeftAdapter {
  readonly state: LearnedState
  readonly rank: number
  readonly alpha: number
  /** `score` rewards a whole response, `v_head` values every prefix. */
  readonly head: HeadKind
  readonly headBias: boolean
}

export interface ReadPeftOptions {
  /** The head that the role needs; an adapter without it is refused. Absent: any adapter is read. */
  readonly requireHead?: 'score' | 'v_head'
}

const CONFIG = 'adapter_config.json'
const WEIGHTS = 'adapter_model.safetensors'

/**
 * Reads an adapter trained for `base`. Names may come with or without `base_model.model.` and the adapter's name.
 * @throws BadInput for unsupported settings, missing, unexpected, misshapen or non-finite tensors, or a missing head
 */
export function readPeft(dir: string, base: Pick<BaseModel, 'config'>, options: ReadPeftOptions = {}): PeftAdapter {
  if (!existsSync(dir)) throw new BadInput(dir, 'folder not found; name the folder of a PEFT adapter')
  if (!statSync(dir).isDirectory()) throw new BadInput(dir, 'is not a folder; name the folder of a PEFT adapter')
  const configPath = join(dir, CONFIG)
  const { rank, alpha, taskType, modulesToSave } = parsePeftConfig(
    readJsonObject(configPath),
    configPath,
    projections(base.config),
  )
  const header = readSafetensorsHeader(weightsPath(dir))
  const { keys, head } = nameKeys(header)
  const announced =
    modulesToSave.find((name) => name !== 'classifier') ?? (taskType === 'SEQ_CLS' ? 'score' : undefined)
  const needed = options.requireHead ?? announced
  if (needed !== undefined && head !== needed) {
    throw new BadInput(
      header.path,
      `has no ${needed} head; it was saved without one, and a fresh random head would make every score meaningless`,
      `tensor base_model.model.${needed}.weight`,
    )
  }
  const headBias = keys.has('head.bias')
  const specs = loraSpecs(base.config, rank, { head: head !== 'none', headBias })
  checkKeys(header, keys, specs, base.config)
  const state = emptyState(specs)
  for (const spec of specs) state.data.set(finiteValues(header, keys.get(spec.name)!), spec.offset)
  return { state, rank, alpha, head, headBias }
}

function weightsPath(dir: string): string {
  const path = join(dir, WEIGHTS)
  if (!existsSync(path) && existsSync(join(dir, 'adapter_model.bin'))) {
    throw new BadInput(
      join(dir, 'adapter_model.bin'),
      `is a pickle, which is never read; save the adapter as ${WEIGHTS}`,
    )
  }
  return path
}

/** Keys of the file by our own tensor names. */
function nameKeys(header: SafetensorsHeader): { keys: Map<string, string>; head: HeadKind } {
  const keys = new Map<string, string>()
  let head: HeadKind = 'none'
  let unexpected: string | undefined
  for (const key of header.tensors.keys()) {
    const named = learnedName(key)
    if (named === undefined) {
      unexpected ??= key
      continue
    }
    if (named.head !== undefined) {
      if (head !== 'none' && head !== named.head) throw new BadInput(header.path, 'holds two heads, score and v_head')
      head = named.head
    }
    const other = keys.get(named.name)
    if (other !== undefined) throw new BadInput(header.path, `means the same tensor as ${other}`, `tensor ${key}`)
    keys.set(named.name, key)
  }
  if (keys.size === 0) {
    throw new BadInput(
      header.path,
      'not one of its tensors is a LoRA factor of this architecture; it is no adapter for Qwen2',
    )
  }
  if (unexpected !== undefined) throw new BadInput(header.path, 'is not part of a LoRA adapter', `tensor ${unexpected}`)
  return { keys, head }
}

function checkKeys(
  header: SafetensorsHeader,
  keys: ReadonlyMap<string, string>,
  specs: readonly TensorSpec[],
  config: Qwen2Config,
): void {
  const expected = new Map(specs.map((spec) => [spec.name, spec]))
  for (const [name, key] of keys) {
    if (expected.has(name)) continue
    throw new BadInput(
      header.path,
      `belongs to no projection of this base model (${config.layers} layers); the adapter was trained for another base`,
      `tensor ${key}`,
    )
  }
  for (const { name, shape } of specs) {
    const key = keys.get(name)
    if (key === undefined) {
      const problem = 'the tensor is missing; the adapter is incomplete or was trained for another base'
      throw new BadInput(header.path, problem, `tensor ${peftName(name, 'score')}`)
    }
    const entry = header.tensors.get(key)!
    if (!sameShape(entry.shape, shape)) {
      const shapes = `shape [${entry.shape.join(', ')}], this base and r need [${shape.join(', ')}]`
      throw new BadInput(header.path, `${shapes}; the adapter was trained for another base or rank`, `tensor ${key}`)
    }
    if (entry.dtype !== 'F32' && entry.dtype !== 'F16' && entry.dtype !== 'BF16') {
      throw new BadInput(header.path, `dtype ${entry.dtype}; adapters must be F32, F16 or BF16`, `tensor ${key}`)
    }
  }
}

function finiteValues(header: SafetensorsHeader, key: string): Float32Array {
  const values = widen(header.tensors.get(key)!.dtype as StoredDtype, readTensorBytes(header, key))
  const at = values.findIndex((value) => !Number.isFinite(value))
  if (at !== -1) throw new BadInput(header.path, `element ${at} is ${values[at]}`, `tensor ${key}`)
  return values
}

export interface PeftToWrite {
  readonly state: LearnedState
  readonly rank: number
  readonly alpha: number
  readonly head: HeadKind
  /** What adapter_config.json names as the base model; null leaves the choice to the reader. */
  readonly baseModel?: string | null
}

/**
 * Writes a PEFT folder: the folder appears by rename, and the same state always gives the same bytes.
 * @throws BadInput when `dir` holds something and `overwrite` is not set; Error when state and head disagree
 */
export function writePeft(dir: string, adapter: PeftToWrite, options: { readonly overwrite?: boolean } = {}): void {
  const { state, head, baseModel = null } = adapter
  if (state.specs.some((spec) => spec.name === 'head.weight') !== (head !== 'none')) {
    throw new Error(`the learned state ${head === 'none' ? 'has a' : 'lacks the'} head, the adapter is to have ${head}`)
  }
  const tensors = Object.fromEntries(
    state.specs.map(({ name, shape, offset, size }) => {
      const { buffer, byteOffset } = state.data
      const bytes = new Uint8Array(buffer, byteOffset + offset * 4, size * 4)
      return [peftName(name, head), { dtype: 'F32' as const, shape, bytes }]
    }),
  )
  const config = `${JSON.stringify(peftConfigJson({ ...adapter, baseModel }), null, 2)}\n`
  writeFolderAtomically(
    dir,
    (temporary) => {
      writeFileAtomically(join(temporary, CONFIG), [Buffer.from(config)])
      writeSafetensors(join(temporary, WEIGHTS), tensors, { format: 'pt' })
    },
    options,
  )
}
