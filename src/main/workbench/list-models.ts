/** Base models on this machine: the embedded one and those in the folders the user named, with why one cannot be used. */
import { existsSync, readdirSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { ModelListing } from '../../shared/ipc.ts'
import { openBase } from '../engine/checkpoint/hf-folder.ts'
import { checkTokenizerFits, openTokenizer } from '../engine/checkpoint/tokenizer.ts'
import { embeddedModel } from './embedded-model.ts'

/** @param folders each a checkpoint itself, or a folder of checkpoints */
export function listModels(folders: readonly string[]): ModelListing[] {
  const own = embeddedFolder()
  const found = new Set(folders.map((folder) => resolve(folder)).flatMap(checkpointsIn))
  if (own !== null) found.delete(own)
  return [...(own === null ? [] : [listing(own, true)]), ...[...found].map((folder) => listing(folder, false))]
}

function embeddedFolder(): string | null {
  try {
    return embeddedModel()
  } catch {
    return null
  }
}

/** A folder that holds no checkpoint is listed itself, so that its problem is seen. */
function checkpointsIn(folder: string): string[] {
  if (!existsSync(folder) || existsSync(join(folder, 'config.json'))) return [folder]
  try {
    const inside = readdirSync(folder, { withFileTypes: true })
      .map((entry) => join(folder, entry.name))
      .filter((path) => existsSync(join(path, 'config.json')))
      .sort()
    return inside.length > 0 ? inside : [folder]
  } catch {
    return [folder]
  }
}

function listing(folder: string, embedded: boolean): ModelListing {
  const named = { folder, name: embedded ? 'Embedded model' : basename(folder), embedded }
  try {
    const base = openBase(folder)
    checkTokenizerFits(base, openTokenizer(folder))
    const parameters = [...base.tensors.values()].reduce(
      (sum, { shape }) => sum + shape.reduce((product, size) => product * size, 1),
      0,
    )
    return { ...named, parameters, problem: null }
  } catch (error) {
    return { ...named, parameters: null, problem: error instanceof Error ? error.message : String(error) }
  }
}
