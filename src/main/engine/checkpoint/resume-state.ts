/**
 * The resume state of a learning stage: tensors and plain JSON in one safetensors container in which every byte is
 * covered by a hash. Written after every optimizer update, so it is one write, one sync and one rename.
 */
import { createHash } from 'node:crypto'
import { BadInput } from '../../../shared/bad-input.ts'
import { canonicalJson } from './canonical-json.ts'
import { isJsonObject, type JsonObject } from './input-file.ts'
import { readSafetensorsHeader, readTensorBytes, type TensorArray, type TensorToWrite } from './safetensors.ts'
import { dtypeOf, typedView } from './safetensors-dtypes.ts'
import { orderTensors, safetensorsHeaderText, writeSafetensors } from './safetensors-write.ts'

/** Flat typed arrays by name. */
export type ResumeTensors = Readonly<Record<string, TensorArray>>

export interface ResumeState {
  /** Plain JSON data; key order does not matter. */
  readonly meta: object
  readonly tensors: ResumeTensors
}

export interface StoredResumeState {
  /** As written; the reader of the stage checks its shape. */
  readonly meta: JsonObject
  readonly tensors: ResumeTensors
}

const FORMAT = 'recompense-resume-1'
const HASH_KEY = 'sha256:'

/**
 * Equal input gives equal bytes. After a power cut the file is the old state or the new one, never a mixture.
 * @throws Error when `meta` holds what JSON cannot (NaN); BadInput when the file cannot be written
 */
export function writeResumeState(path: string, state: ResumeState): void {
  const meta = canonicalJson(state.meta)
  const tensors: Record<string, TensorToWrite> = {}
  const hashes: Record<string, string> = {}
  for (const [name, values] of Object.entries(state.tensors)) {
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
    tensors[name] = { dtype: dtypeOf(values), shape: [values.length], bytes }
    hashes[`${HASH_KEY}${name}`] = sha256(bytes)
  }
  const metadata = { ...hashes, format: FORMAT, meta, seal: seal(meta, hashes) }
  writeSafetensors(path, tensors, metadata, { syncFolder: false })
}

/**
 * @throws BadInput when the file is missing, is not a resume state, or any byte of it has changed; a changed tensor is
 * named
 */
export function readResumeState(path: string): StoredResumeState {
  const header = readSafetensorsHeader(path)
  const { format, meta = '', seal: storedSeal, ...hashes } = header.metadata
  if (format !== FORMAT) {
    throw new BadInput(path, `is not a resume state of this version (${FORMAT}); start the stage again`)
  }
  const tensors: [string, TensorArray][] = []
  for (const [name, { dtype }] of header.tensors) {
    const bytes = readTensorBytes(header, name)
    if (hashes[`${HASH_KEY}${name}`] !== sha256(bytes)) {
      throw new BadInput(path, 'the resume state is damaged: the tensor does not match its hash', `tensor ${name}`)
    }
    tensors.push([name, typedView(dtype, bytes)])
  }
  if (seal(meta, hashes) !== storedSeal || Object.keys(hashes).length !== header.tensors.size) {
    throw new BadInput(path, 'the resume state is damaged: its description does not match its hash', 'metadata')
  }
  // The hashes cover contents and names; equality with what the writer would write covers shapes, order and padding.
  const ordered = orderTensors(Object.fromEntries(header.tensors))
  if (
    safetensorsHeaderText(ordered, header.metadata) !== header.text ||
    ordered.some(([, { shape }]) => shape.length !== 1)
  ) {
    throw new BadInput(path, 'the resume state is damaged: its header was altered', 'header')
  }
  const parsed: unknown = JSON.parse(meta)
  if (!isJsonObject(parsed)) throw new BadInput(path, 'the resume state holds no description', 'metadata')
  return { meta: parsed, tensors: Object.fromEntries(tensors) }
}

function sha256(data: Uint8Array | string): string {
  return createHash('sha256').update(data).digest('hex')
}

/** Covers the meta data and the set of tensors with their hashes. */
function seal(meta: string, hashes: Readonly<Record<string, string>>): string {
  return sha256(`${FORMAT}\n${meta}\n${canonicalJson(hashes)}`)
}
