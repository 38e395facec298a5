/** Special tokens of a checkpoint: which string is EOS, PAD or BOS, and the ids that end a generation. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BadInput } from '../../../shared/bad-input.ts'
import { isJsonObject, type JsonObject, readJsonObject, TOKENIZER_JSON_LIMIT } from './input-file.ts'

export type SpecialRole = 'eos_token' | 'pad_token' | 'bos_token' | 'unk_token'

/** The content of a role's token in tokenizer_config.json, or in the older special_tokens_map.json. */
export function specialToken(config: JsonObject, map: JsonObject, role: SpecialRole): string | undefined {
  for (const source of [config, map]) {
    const value = source[role]
    if (typeof value === 'string') return value
    if (isJsonObject(value) && typeof value.content === 'string') return value.content
  }
  return undefined
}

export function readTokenizerConfig(dir: string): { config: JsonObject; map: JsonObject } {
  const optional = (name: string): JsonObject =>
    existsSync(join(dir, name)) ? readJsonObject(join(dir, name), TOKENIZER_JSON_LIMIT) : {}
  return { config: optional('tokenizer_config.json'), map: optional('special_tokens_map.json') }
}

/**
 * Ids that end a generation: generation_config.json's `eos_token_id` (a number or a list), else config.json's, else the
 * tokenizer's own EOS. Base and Instruct checkpoints disagree on it, so the source is reported with the ids.
 */
export function readEosIds(
  dir: string,
  config: JsonObject,
  vocabSize: number,
): { eosIds: number[]; eosSource: string } {
  const generationPath = join(dir, 'generation_config.json')
  if (existsSync(generationPath)) {
    const eosIds = parseEos(readJsonObject(generationPath).eos_token_id, generationPath, vocabSize)
    if (eosIds.length > 0) return { eosIds, eosSource: 'generation_config.json' }
  }
  const eosIds = parseEos(config.eos_token_id, join(dir, 'config.json'), vocabSize)
  if (eosIds.length > 0) return { eosIds, eosSource: 'config.json' }
  const id = tokenizerEosId(dir)
  if (id === undefined) {
    throw new BadInput(
      dir,
      'no end-of-text id: set eos_token_id in generation_config.json or eos_token of the tokenizer',
    )
  }
  return { eosIds: parseEos(id, join(dir, 'tokenizer.json'), vocabSize), eosSource: 'tokenizer_config.json' }
}

function parseEos(value: unknown, path: string, vocabSize: number): number[] {
  if (value === undefined || value === null) return []
  const list: unknown[] = Array.isArray(value) ? value : [value]
  const ids = new Set<number>()
  for (const id of list) {
    if (!Number.isSafeInteger(id) || (id as number) < 0 || (id as number) >= vocabSize) {
      throw new BadInput(
        path,
        `eos_token_id ${JSON.stringify(id)} is not an id of the vocabulary (0 to ${vocabSize - 1})`,
      )
    }
    ids.add(id as number)
  }
  return [...ids]
}

function tokenizerEosId(dir: string): number | undefined {
  const { config, map } = readTokenizerConfig(dir)
  const content = specialToken(config, map, 'eos_token')
  const path = join(dir, 'tokenizer.json')
  if (content === undefined || !existsSync(path)) return undefined
  const { added_tokens: added, model } = readJsonObject(path, TOKENIZER_JSON_LIMIT)
  const token: unknown = Array.isArray(added)
    ? added.find((entry: unknown) => isJsonObject(entry) && entry.content === content)
    : undefined
  if (isJsonObject(token) && typeof token.id === 'number') return token.id
  const vocab = isJsonObject(model) ? model.vocab : undefined
  const id = isJsonObject(vocab) && Object.hasOwn(vocab, content) ? vocab[content] : undefined
  return typeof id === 'number' ? id : undefined
}
