/** Finds the weight files of a Hugging Face folder, one file or shards with an index, and reads their headers. */
import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { BadInput } from '../../../shared/bad-input.ts'
import type { StoredDtype, StoredTensor } from './base-model.ts'
import { fileProblem, isJsonObject, readJsonObject } from './input-file.ts'
import { readSafetensorsHeader, type SafetensorsHeader } from './safetensors.ts'

const SINGLE = 'model.safetensors'
const INDEX = 'model.safetensors.index.json'
/** The index of a very large model lists some ten thousand tensors in a few megabytes. */
const INDEX_LIMIT = 64 * 1024 * 1024

/**
 * Every stored tensor by name, with the real file that holds it.
 * @throws BadInput when the folder has no weights, two competing sets, or an index that does not match its shards
 */
export function storedTensors(dir: string): Map<string, StoredTensor> {
  const single = existsSync(join(dir, SINGLE))
  const index = existsSync(join(dir, INDEX))
  if (single && index) {
    throw new BadInput(dir, `holds both ${SINGLE} and ${INDEX}; remove the one that does not belong to the model`)
  }
  if (index) return shardedTensors(dir)
  if (!single) throw new BadInput(dir, noWeights(dir))
  const { file, header } = openWeights(join(dir, SINGLE))
  return new Map([...header.tensors.keys()].map((name) => [name, stored(header, file, name)]))
}

function noWeights(dir: string): string {
  let names: string[]
  try {
    names = readdirSync(dir)
  } catch (error) {
    return fileProblem(error)
  }
  const shard = names.find((name) => name.endsWith('.safetensors'))
  if (shard !== undefined) return `has ${shard} but neither ${SINGLE} nor ${INDEX}; the index of the shards is missing`
  const pickle = names.find((name) => name.endsWith('.bin') || name.endsWith('.pt') || name.endsWith('.pth'))
  if (pickle !== undefined) return `holds ${pickle}, a pickle, which is never read; save the model as ${SINGLE}`
  return `has no ${SINGLE}`
}

function shardedTensors(dir: string): Map<string, StoredTensor> {
  const indexPath = join(dir, INDEX)
  const { weight_map: weightMap } = readJsonObject(indexPath, INDEX_LIMIT)
  if (!isJsonObject(weightMap)) throw new BadInput(indexPath, 'weight_map is missing')
  const shards = new Map<string, Set<string>>()
  for (const [name, shard] of Object.entries(weightMap)) {
    if (!isShardName(shard)) {
      const shown = JSON.stringify(shard)
      throw new BadInput(indexPath, `${shown} is not the name of a .safetensors file in this folder`, `tensor ${name}`)
    }
    const names = shards.get(shard) ?? new Set()
    shards.set(shard, names.add(name))
  }
  if (shards.size === 0) throw new BadInput(indexPath, 'weight_map is empty')
  const missing = [...shards.keys()].find((shard) => !existsSync(join(dir, shard)))
  if (missing !== undefined) throw new BadInput(indexPath, `the shard ${missing} is missing from the folder`)
  const tensors = new Map<string, StoredTensor>()
  for (const [shard, names] of shards) {
    const path = join(dir, shard)
    const { file, header } = openWeights(path)
    for (const name of names) {
      if (!header.tensors.has(name)) {
        throw new BadInput(path, 'the index places a tensor here that the shard does not hold', `tensor ${name}`)
      }
      tensors.set(name, stored(header, file, name))
    }
    const extra = [...header.tensors.keys()].find((name) => !names.has(name))
    if (extra !== undefined) {
      throw new BadInput(path, 'the shard holds a tensor that the index does not place here', `tensor ${extra}`)
    }
  }
  return tensors
}

/** A plain file name: no folders, no way out of this one. */
function isShardName(value: unknown): value is string {
  return typeof value === 'string' && /^[^/\\:\0]+\.safetensors$/.test(value) && !value.startsWith('.')
}

/** Symbolic links are resolved: the Hugging Face cache is a folder of links to its blobs. */
function openWeights(path: string): { file: string; header: SafetensorsHeader } {
  const header = readSafetensorsHeader(path)
  return { file: realpathSync(path), header }
}

function stored(header: SafetensorsHeader, file: string, name: string): StoredTensor {
  const entry = header.tensors.get(name)!
  if (!isStoredDtype(entry.dtype)) {
    throw new BadInput(header.path, `dtype ${entry.dtype}; weights must be F32, F16 or BF16`, `tensor ${name}`)
  }
  return {
    name,
    dtype: entry.dtype,
    shape: entry.shape,
    file,
    offset: header.dataOffset + entry.begin,
    length: entry.end - entry.begin,
  }
}

function isStoredDtype(dtype: string): dtype is StoredDtype {
  return dtype === 'F32' || dtype === 'F16' || dtype === 'BF16'
}
