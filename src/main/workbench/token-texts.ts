/** One token's text, for cells of a lattice: what it decodes to alone, or its number where nothing on this machine knows it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BadInput } from '../../shared/bad-input.ts'
import { openTokenizer, type Tokenizer } from '../engine/checkpoint/tokenizer.ts'

let latest: { readonly folder: string; readonly tokenizer: Tokenizer } | undefined

/** @param folder of the model; null, or one without a tokenizer, gives numbers */
export function tokenTexts(folder: string | null): (id: number) => string {
  const number = (id: number) => `#${id}`
  try {
    if (folder === null || !existsSync(join(folder, 'tokenizer.json'))) return number
    if (latest?.folder !== folder) latest = { folder, tokenizer: openTokenizer(folder) }
    const { tokenizer } = latest
    return (id) => (tokenizer.isDecodable(id) ? tokenizer.decode([id]) : number(id))
  } catch (error) {
    if (error instanceof BadInput) return number
    throw error
  }
}
