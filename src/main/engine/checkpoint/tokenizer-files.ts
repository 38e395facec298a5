/** Reads tokenizer.json and checks that it is a byte-level BPE in which every text has ids. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BadInput } from '../../../shared/bad-input.ts'
import { byteSymbols } from './byte-decoder.ts'
import { isJsonObject, type JsonObject, readJsonObject, TOKENIZER_JSON_LIMIT } from './input-file.ts'

export interface AddedToken {
  readonly id: number
  readonly content: string
  readonly special: boolean
}

export interface TokenizerFile {
  readonly json: JsonObject
  /** Token string by id, added tokens included. */
  readonly tokens: ReadonlyMap<number, string>
  /** As the file describes them, with the matching rules the library reads. */
  readonly added: readonly AddedToken[]
}

/** Far above any vocabulary; a larger id is a damaged number. */
const MAX_ID = 16_000_000

/**
 * @param config tokenizer_config.json, whose `added_tokens_decoder` may name tokens that tokenizer.json lacks
 * @throws BadInput when the file is missing, malformed, or another kind of tokenizer
 */
export function readTokenizerFile(dir: string, config: JsonObject): TokenizerFile {
  const path = join(dir, 'tokenizer.json')
  if (!existsSync(path)) {
    throw new BadInput(path, 'file not found; save the tokenizer in its fast form (tokenizer.json)')
  }
  const json = readJsonObject(path, TOKENIZER_JSON_LIMIT)
  const { model, decoder } = json
  if (!isJsonObject(model) || model.type !== 'BPE' || !isJsonObject(decoder) || decoder.type !== 'ByteLevel') {
    throw new BadInput(path, 'is not a byte-level BPE tokenizer (model BPE, decoder ByteLevel), the kind Qwen2 uses')
  }
  if (model.dropout !== undefined && model.dropout !== null && model.dropout !== 0) {
    throw new BadInput(path, 'model.dropout makes tokenization random; set it to null')
  }
  if (!isJsonObject(model.vocab) || !Array.isArray(model.merges)) {
    throw new BadInput(path, 'model.vocab or model.merges is missing')
  }
  const tokens = new Map<number, string>()
  for (const [token, id] of Object.entries(model.vocab)) setToken(path, tokens, checkId(path, id, token), token)
  checkAlphabet(path, model.vocab)
  checkMerges(path, model.merges, model.vocab)
  const added = readAdded(path, json.added_tokens)
  for (const { id, content } of added) setToken(path, tokens, id, content)
  const configPath = join(dir, 'tokenizer_config.json')
  for (const token of readAdded(configPath, decoderEntries(config))) {
    if (added.some(({ content }) => content === token.content)) {
      if (tokens.get(token.id) === token.content) continue
      throw new BadInput(
        configPath,
        `the id ${token.id} of ${JSON.stringify(token.content)} differs from tokenizer.json`,
      )
    }
    setToken(configPath, tokens, token.id, token.content)
    added.push(token)
  }
  return { json, tokens, added }
}

function setToken(path: string, tokens: Map<number, string>, id: number, token: string): void {
  const other = tokens.get(id)
  if (other !== undefined && other !== token) {
    throw new BadInput(
      path,
      `the id ${id} stands for two tokens, ${JSON.stringify(other)} and ${JSON.stringify(token)}`,
    )
  }
  tokens.set(id, token)
}

function checkId(path: string, id: unknown, token: string): number {
  if (!Number.isSafeInteger(id) || (id as number) < 0 || (id as number) > MAX_ID) {
    throw new BadInput(path, `the token ${JSON.stringify(token)} has the impossible id ${JSON.stringify(id)}`)
  }
  return id as number
}

/** Without all 256 byte symbols some texts would silently lose characters. */
function checkAlphabet(path: string, vocab: JsonObject): void {
  const missing = byteSymbols().findIndex((symbol) => !Object.hasOwn(vocab, symbol))
  if (missing !== -1) throw new BadInput(path, `the vocabulary has no token for byte ${missing}`)
}

/** A merge whose result is no token would make its text vanish. Merges are pairs, or "left right" in older files. */
function checkMerges(path: string, merges: readonly unknown[], vocab: JsonObject): void {
  for (const [index, merge] of merges.entries()) {
    const pair: unknown = typeof merge === 'string' ? merge.split(' ') : merge
    const [left, right] = Array.isArray(pair) && pair.length === 2 ? (pair as unknown[]) : []
    if (typeof left !== 'string' || typeof right !== 'string') {
      throw new BadInput(path, 'is not a pair of tokens', `merge ${index + 1}`)
    }
    const unknown = [left, right, left + right].find((token) => !Object.hasOwn(vocab, token))
    if (unknown !== undefined) {
      throw new BadInput(path, `${JSON.stringify(unknown)} is no token of the vocabulary`, `merge ${index + 1}`)
    }
  }
}

function readAdded(path: string, value: unknown): AddedToken[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw new BadInput(path, 'added_tokens must be a list')
  return value.map((entry: unknown) => {
    if (!isJsonObject(entry) || typeof entry.content !== 'string' || entry.content === '') {
      throw new BadInput(path, 'an entry of added_tokens has no content')
    }
    const id = checkId(path, entry.id, entry.content)
    return { ...entry, id, content: entry.content, special: entry.special === true }
  })
}

/** `added_tokens_decoder` is an object from id to the token's description. */
function decoderEntries(config: JsonObject): unknown[] {
  const decoder = config.added_tokens_decoder
  if (!isJsonObject(decoder)) return []
  return Object.entries(decoder).map(([id, entry]) => (isJsonObject(entry) ? { ...entry, id: Number(id) } : entry))
}
