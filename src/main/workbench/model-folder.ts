/** What a study records of its base model's folder, and how it notices that the folder changed. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { BadInput } from '../../shared/bad-input.ts'
import { fileSha256 } from './files-on-disk.ts'

/** Everything that can change a number: configuration, tokenizer, weights. */
const relevant =
  /^(config|generation_config|tokenizer|tokenizer_config|special_tokens_map|vocab|added_tokens)\.json$|^merges\.txt$|^chat_template\.jinja$|\.safetensors$|\.safetensors\.index\.json$/

/** SHA-256 by file name. Throws `BadInput` when the folder is not a base model's. */
export function modelFiles(dir: string): Record<string, string> {
  if (!existsSync(dir)) throw new BadInput(dir, 'does not exist')
  if (!statSync(dir).isDirectory()) throw new BadInput(dir, 'is not a folder; name the folder of a base model')
  const names = readdirSync(dir)
    .filter((name) => relevant.test(name))
    .sort()
  if (!names.includes('config.json'))
    throw new BadInput(dir, 'is not the folder of a base model: config.json is missing')
  return Object.fromEntries(names.map((name) => [name, fileSha256(join(dir, name))]))
}

/** Throws `BadInput` naming the first file that differs from what was recorded, with both hashes. */
export function requireSameModel(dir: string, recorded: Readonly<Record<string, string>>): void {
  const found = modelFiles(dir)
  for (const name of new Set([...Object.keys(recorded), ...Object.keys(found)])) {
    if (found[name] === recorded[name]) continue
    throw new BadInput(
      join(dir, name),
      `is not the file the study began with: its SHA-256 is ${found[name] ?? 'none, it is missing'}, recorded is ${recorded[name] ?? 'none'}`,
    )
  }
}

/** The id of `<|im_end|>`, on which alone a study's responses end; undefined where the tokenizer has none. */
export function endOfTurnId(dir: string): number | undefined {
  const file = join(dir, 'tokenizer.json')
  if (!existsSync(file)) return undefined
  const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'))
  const added = (parsed as { added_tokens?: { id?: unknown; content?: unknown }[] }).added_tokens ?? []
  const id = added.find((token) => token.content === '<|im_end|>')?.id
  return typeof id === 'number' ? id : undefined
}
