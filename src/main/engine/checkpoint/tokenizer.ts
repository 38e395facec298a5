/** A checkpoint's tokenizer: text to ids, ids to text, chat messages to text. Used by every stage and by the reports. */
import { join } from 'node:path'
import { Tokenizer as Library } from '@huggingface/tokenizers'
import { BadInput } from '../../../shared/bad-input.ts'
import type { BaseModel } from './base-model.ts'
import { byteSymbols, decodeBytes, tokenBytes } from './byte-decoder.ts'
import { type ChatOptions, chatTemplate, type TemplateMessage } from './chat-template.ts'
import { readTokenizerConfig, type SpecialRole, specialToken } from './special-tokens.ts'
import { readTokenizerFile } from './tokenizer-files.ts'

export type { ChatOptions, TemplateMessage } from './chat-template.ts'

export interface Tokenizer {
  readonly dir: string
  /** Number of known ids. The model's vocabulary may be larger; the surplus is undecodable. */
  readonly size: number
  /** Largest known id. */
  readonly maxId: number
  readonly specialIds: ReadonlySet<number>
  /** The tokenizer's own EOS and PAD; what ends a generation is `BaseModel.eosIds`. */
  readonly eosId: number | undefined
  readonly padId: number | undefined
  /** Special tokens inside the text are recognised; nothing is added before, after or between. */
  encode(text: string): number[]
  /** Undecodable ids give nothing (check with `isDecodable`); broken UTF-8 gives U+FFFD. */
  decode(ids: readonly number[], options?: { readonly skipSpecial?: boolean }): string
  isDecodable(id: number): boolean
  /** The id's raw bytes: a part of a character for some tokens. Undefined for an undecodable id. */
  bytesOf(id: number): Uint8Array | undefined
  /** @throws BadInput when the checkpoint has no chat template, or the template refuses the messages */
  renderChat(messages: readonly TemplateMessage[], options?: ChatOptions): string
}

/** @throws BadInput when the folder has no byte-level BPE `tokenizer.json`, or the file is malformed */
export function openTokenizer(dir: string): Tokenizer {
  const path = join(dir, 'tokenizer.json')
  const { config, map } = readTokenizerConfig(dir)
  const file = readTokenizerFile(dir, config)
  const encode = openEncoder(path, { ...file.json, added_tokens: file.added })

  const byteOf = new Map(byteSymbols().map((symbol, byte) => [symbol, byte]))
  const bytes = new Map<number, Uint8Array>()
  const idOf = new Map<string, number>()
  let maxId = -1
  for (const [id, token] of file.tokens) {
    bytes.set(id, tokenBytes(token, byteOf))
    idOf.set(token, id)
    if (id > maxId) maxId = id
  }
  const specialIds = new Set(file.added.filter((token) => token.special).map((token) => token.id))

  const variables: Record<string, string> = {}
  const roleId = (role: SpecialRole): number | undefined => {
    const content = specialToken(config, map, role)
    if (content === undefined) return undefined
    variables[role] = content
    const id = idOf.get(content)
    if (id === undefined) {
      throw new BadInput(
        join(dir, 'tokenizer_config.json'),
        `${role} ${JSON.stringify(content)} is no token of the vocabulary`,
      )
    }
    return id
  }
  const eosId = roleId('eos_token')
  const padId = roleId('pad_token')
  roleId('bos_token')
  roleId('unk_token')
  const template = chatTemplate(dir, config, variables)

  return {
    dir,
    size: file.tokens.size,
    maxId,
    specialIds,
    eosId,
    padId,
    encode,
    decode(ids, { skipSpecial = false } = {}) {
      const parts: Uint8Array[] = []
      for (const id of ids) {
        const part = bytes.get(id)
        if (part !== undefined && !(skipSpecial && specialIds.has(id))) parts.push(part)
      }
      return decodeBytes(parts)
    },
    isDecodable: (id) => bytes.has(id),
    bytesOf: (id) => bytes.get(id),
    renderChat: (messages, options) => template.render(messages, options),
  }
}

/** Letters, a contraction, digits, spaces, punctuation and a line break: touches every part of a pre-tokenizer. */
const PROBE = "It's 12  é!\n"

/**
 * The library takes its behaviour from tokenizer.json alone; its own config switches belong to other model families.
 * It finds some faults of the file only when it encodes, so it is tried once.
 */
function openEncoder(path: string, json: object): (text: string) => number[] {
  try {
    const defaults = { post_processor: null, pre_tokenizer: null, normalizer: null }
    const library = new Library({ ...defaults, ...json }, {})
    const encode = (text: string) => library.encode(text, { add_special_tokens: false }).ids
    if (!encode(PROBE).every(Number.isSafeInteger)) throw new Error('it gives ids that are no numbers')
    return encode
  } catch (error) {
    throw new BadInput(path, `cannot be used: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/**
 * A tokenizer with ids beyond the embedding table belongs to another model.
 * @throws BadInput "tokenizer mismatch"
 */
export function checkTokenizerFits(base: Pick<BaseModel, 'dir' | 'config'>, tokenizer: Tokenizer): void {
  const { vocabSize } = base.config
  if (tokenizer.maxId >= vocabSize) {
    throw new BadInput(
      join(tokenizer.dir, 'tokenizer.json'),
      `tokenizer mismatch: it has ids up to ${tokenizer.maxId}, the model in ${base.dir} has rows for 0 to ${vocabSize - 1}`,
    )
  }
}
