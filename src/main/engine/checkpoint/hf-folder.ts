/** Opens a base checkpoint in Hugging Face layout: checked completely here, read-only ever after. */
import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { BadInput } from '../../../shared/bad-input.ts'
import type { BaseModel, Qwen2Config, StoredTensor } from './base-model.ts'
import { widen } from './float-widening.ts'
import { fileProblem, readJsonObject } from './input-file.ts'
import { storedTensors } from './model-files.ts'
import { parseQwen2Config } from './qwen2-config.ts'
import { baseTensors, EMBEDDING, LM_HEAD, sameShape } from './qwen2-tensors.ts'
import { readEosIds } from './special-tokens.ts'
import { pieces, sameBytes, storedBytes } from './stored-tensor.ts'

/**
 * Opens a Qwen2 folder (`config.json`, weights as one file or shards, F32/F16/BF16, tied or untied).
 *
 * A tied checkpoint may repeat its embedding as `lm_head.weight` only byte for byte; the copy is then left out of
 * `tensors`. A copy that differs contradicts the config and is refused, since ignoring either would compute another model.
 * @throws BadInput naming the file and the tensor or key
 */
export function openBase(dir: string): BaseModel {
  try {
    if (!statSync(dir).isDirectory()) throw new BadInput(dir, 'is not a folder; name the folder of a checkpoint')
  } catch (error) {
    if (error instanceof BadInput) throw error
    throw new BadInput(dir, fileProblem(error))
  }
  const configPath = join(dir, 'config.json')
  const json = readJsonObject(configPath)
  const config = parseQwen2Config(json, configPath)
  const tensors = checkTensors(dir, config, storedTensors(dir))
  const { eosIds, eosSource } = readEosIds(dir, json, config.vocabSize)
  let hash: string | undefined
  return {
    dir,
    config,
    tensors,
    eosIds,
    eosSource,
    sha256() {
      hash ??= hashBase(config, tensors)
      return hash
    },
    float32(name) {
      const tensor = tensors.get(name)
      if (tensor === undefined) throw new Error(`the base model has no tensor ${name}`)
      return widen(tensor.dtype, storedBytes(tensor))
    },
  }
}

/** The tensors the model needs, in the order of `baseTensors`. */
function checkTensors(
  dir: string,
  config: Qwen2Config,
  found: ReadonlyMap<string, StoredTensor>,
): Map<string, StoredTensor> {
  const needed = new Map<string, StoredTensor>()
  for (const { name, shape } of baseTensors(config)) {
    const tensor = found.get(name)
    if (tensor === undefined) {
      const hint = name === LM_HEAD ? '; an untied model needs it (tie_word_embeddings is false in config.json)' : ''
      throw new BadInput(dir, `the weights lack a tensor that config.json asks for${hint}`, `tensor ${name}`)
    }
    if (!sameShape(tensor.shape, shape)) {
      const shapes = `[${tensor.shape.join(', ')}], config.json asks for [${shape.join(', ')}]`
      throw new BadInput(tensor.file, `has the wrong shape ${shapes}`, `tensor ${name}`)
    }
    needed.set(name, tensor)
  }
  for (const [name, tensor] of found) {
    if (needed.has(name) || isRotaryBuffer(name)) continue
    if (name === LM_HEAD && config.tied) checkTiedCopy(tensor, needed.get(EMBEDDING)!)
    else throw new BadInput(tensor.file, 'is no part of the model that config.json describes', `tensor ${name}`)
  }
  return needed
}

/** Old exports store the rotary frequencies, which follow from `rope_theta`. */
function isRotaryBuffer(name: string): boolean {
  return /^model\.(layers\.\d+\.self_attn\.)?rotary_emb\.inv_freq$/.test(name)
}

function checkTiedCopy(copy: StoredTensor, embedding: StoredTensor): void {
  if (!sameShape(copy.shape, embedding.shape) || !sameBytes(copy, embedding)) {
    throw new BadInput(
      copy.file,
      `differs from ${EMBEDDING}, yet config.json says tie_word_embeddings; set it to false or drop the tensor`,
      `tensor ${LM_HEAD}`,
    )
  }
}

function hashBase(config: Qwen2Config, tensors: ReadonlyMap<string, StoredTensor>): string {
  const keys = Object.keys(config).sort()
  const hash = createHash('sha256').update(JSON.stringify(config, keys))
  for (const name of [...tensors.keys()].sort()) {
    const tensor = tensors.get(name)!
    hash.update(`\n${JSON.stringify([name, tensor.dtype, tensor.shape])}\n`)
    for (const piece of pieces(tensor)) hash.update(piece)
  }
  return hash.digest('hex')
}
