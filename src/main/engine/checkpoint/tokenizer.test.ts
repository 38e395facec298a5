import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { BadInput } from '../../../shared/bad-input.ts'
import { openBase } from './hf-folder.ts'
import { checkTokenizerFits, openTokenizer } from './tokenizer.ts'

interface Cases {
  special_ids: Record<string, number>
  tokenizer_size: number
  model_vocab_size: number
  encode: { text: string; ids: number[]; decoded: string; decoded_skip_special: string }[]
  decode: { ids: number[]; decoded: string }[]
  chat: {
    name: string
    template: 'qwen2' | 'qwen2_5'
    messages: { role: string; content: string }[]
    tools?: object[]
    add_generation_prompt: boolean
    text: string
    ids: number[]
  }[]
}

const golden = join(import.meta.dirname, '../../../../test/golden')
const folder = join(golden, 'checkpoints/base_f32')
const cases = JSON.parse(readFileSync(join(golden, 'tokenizer/cases.json'), 'utf8')) as Cases
const scratch = mkdtempSync(join(tmpdir(), 'recompense-tokenizer-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/** A copy of the golden tokenizer with some files replaced; null removes a key. */
function variant(name: string, edit: { tokenizer?: object; config?: object; jinja?: string }): string {
  const dir = join(scratch, name)
  for (const file of [
    'config.json',
    'generation_config.json',
    'model.safetensors',
    'tokenizer.json',
    'tokenizer_config.json',
  ]) {
    cpSync(join(folder, file), join(dir, file))
  }
  for (const [file, changes] of [
    ['tokenizer.json', edit.tokenizer],
    ['tokenizer_config.json', edit.config],
  ] as const) {
    if (changes === undefined) continue
    const json = { ...(JSON.parse(readFileSync(join(dir, file), 'utf8')) as object), ...changes }
    writeFileSync(join(dir, file), JSON.stringify(json))
  }
  if (edit.jinja !== undefined) writeFileSync(join(dir, 'chat_template.jinja'), edit.jinja)
  return dir
}

function tokenizerJson(): {
  model: { vocab: Record<string, number>; merges: unknown[] }
  added_tokens: { id: number }[]
} {
  return JSON.parse(readFileSync(join(folder, 'tokenizer.json'), 'utf8'))
}

describe('golden cases', () => {
  const tokenizer = openTokenizer(folder)

  it('encodes every text to the same ids', () => {
    for (const { text, ids } of cases.encode) expect(tokenizer.encode(text), JSON.stringify(text)).toEqual(ids)
  })

  it('decodes every list to the same text', () => {
    for (const { ids, decoded, decoded_skip_special: skipped } of cases.encode) {
      expect(tokenizer.decode(ids)).toBe(decoded)
      expect(tokenizer.decode(ids, { skipSpecial: true })).toBe(skipped)
    }
    for (const { ids, decoded } of cases.decode) expect(tokenizer.decode(ids), ids.join(' ')).toBe(decoded)
  })

  it('renders and encodes every chat, with both templates and with tools', () => {
    const newer = openTokenizer(
      variant('newer-template', { jinja: readFileSync(join(golden, 'tokenizer/chat_template_qwen2_5.jinja'), 'utf8') }),
    )
    for (const chat of cases.chat) {
      const used = chat.template === 'qwen2' ? tokenizer : newer
      const options = { addGenerationPrompt: chat.add_generation_prompt }
      const text = used.renderChat(
        chat.messages,
        chat.tools === undefined ? options : { ...options, tools: chat.tools },
      )
      expect(text, chat.name).toBe(chat.text)
      expect(used.encode(text), chat.name).toEqual(chat.ids)
    }
  })

  it('knows its size, special ids and roles', () => {
    expect(tokenizer.size).toBe(cases.tokenizer_size)
    expect([...tokenizer.specialIds].sort()).toEqual(Object.values(cases.special_ids).sort())
    expect(tokenizer.eosId).toBe(cases.special_ids['<|im_end|>'])
    expect(tokenizer.padId).toBe(cases.special_ids['<|endoftext|>'])
  })

  it('tells undecodable ids, which give no text', () => {
    for (let id = 0; id < cases.model_vocab_size; id++)
      expect(tokenizer.isDecodable(id)).toBe(id < cases.tokenizer_size)
    expect(tokenizer.decode([cases.tokenizer_size, 100, cases.model_vocab_size])).toBe(tokenizer.decode([100]))
    expect(tokenizer.bytesOf(cases.tokenizer_size)).toBeUndefined()
  })
})

describe('chat templates', () => {
  it('are needed only when a chat is rendered', () => {
    const tokenizer = openTokenizer(variant('no-template', { config: { chat_template: null } }))
    expect(tokenizer.encode('Hi').length).toBeGreaterThan(0)
    expect(() => tokenizer.renderChat([{ role: 'user', content: 'Hi' }])).toThrow(/no chat_template/)
  })

  it('may come as a list of names, one of them for tools', () => {
    const chat_template = [
      { name: 'default', template: 'plain {{ messages[0].content }}{{ eos_token }}' },
      { name: 'tool_use', template: 'tools {{ tools | length }}' },
    ]
    const tokenizer = openTokenizer(variant('named', { config: { chat_template } }))
    const messages = [{ role: 'user', content: 'Hi' }]
    expect(tokenizer.renderChat(messages)).toBe('plain Hi<|im_end|>')
    expect(tokenizer.renderChat(messages, { tools: [{}, {}] })).toBe('tools 2')
  })

  it('that refuse the messages are a fault of the input', () => {
    const tokenizer = openTokenizer(variant('raising', { jinja: "{{ raise_exception('roles must alternate') }}" }))
    expect(() => tokenizer.renderChat([])).toThrow(BadInput)
    expect(() => tokenizer.renderChat([])).toThrow(/roles must alternate/)
  })
})

describe('faults', () => {
  it('refuses a tokenizer with more ids than the model has rows', () => {
    const json = tokenizerJson()
    const dir = variant('too-large', {
      tokenizer: { added_tokens: [...json.added_tokens, { id: 512, content: '<|extra|>', special: true }] },
    })
    expect(() => checkTokenizerFits(openBase(folder), openTokenizer(folder))).not.toThrow()
    expect(() => checkTokenizerFits(openBase(dir), openTokenizer(dir))).toThrow(
      /tokenizer mismatch: it has ids up to 512/,
    )
  })

  it('refuses what is no byte-level BPE, and damaged vocabularies', () => {
    const json = tokenizerJson()
    const { Ġ: _space, ...withoutSpace } = json.model.vocab
    const refused: [string, object, RegExp][] = [
      ['unigram', { model: { type: 'Unigram' } }, /byte-level BPE/],
      ['decoder', { decoder: null }, /byte-level BPE/],
      ['no-merges', { model: { ...json.model, merges: undefined } }, /merges is missing/],
      ['dropout', { model: { ...json.model, dropout: 0.1 } }, /dropout/],
      ['no-space', { model: { ...json.model, vocab: withoutSpace } }, /no token for byte 32/],
      ['twice', { model: { ...json.model, vocab: { ...json.model.vocab, again: 7 } } }, /id 7 stands for two tokens/],
      ['negative', { model: { ...json.model, vocab: { ...json.model.vocab, bad: -1 } } }, /impossible id -1/],
      [
        'merge',
        { model: { ...json.model, merges: [['Ġ', 'zzz']] } },
        /"zzz" is no token of the vocabulary \(merge 1\)/,
      ],
      ['merge-form', { model: { ...json.model, merges: ['Ġ'] } }, /not a pair of tokens \(merge 1\)/],
      ['added', { added_tokens: [{ id: 600 }] }, /no content/],
      ['normalizer', { normalizer: { type: 'Strange' } }, /cannot be used/],
    ]
    for (const [name, tokenizer, message] of refused) {
      const dir = variant(name, { tokenizer })
      expect(() => openTokenizer(dir), name).toThrow(BadInput)
      expect(() => openTokenizer(dir), name).toThrow(message)
    }
    expect(() => openTokenizer(join(scratch, 'nowhere'))).toThrow(/tokenizer.json: file not found/)
  })

  it('takes added tokens that only tokenizer_config.json names, and refuses two that disagree', () => {
    const extra = { '504': { content: '<|tool|>', special: true } }
    const tokenizer = openTokenizer(variant('config-token', { config: { added_tokens_decoder: extra } }))
    expect(tokenizer.encode('a<|tool|>b')).toEqual([...tokenizer.encode('a'), 504, ...tokenizer.encode('b')])
    expect(tokenizer.decode([504])).toBe('<|tool|>')
    expect(tokenizer.specialIds.has(504)).toBe(true)
    const moved = variant('moved', {
      config: { added_tokens_decoder: { '510': { content: '<|im_end|>', special: true } } },
    })
    expect(() => openTokenizer(moved)).toThrow(/the id 510 of "<\|im_end\|>" differs from tokenizer.json/)
    const taken = variant('taken', { config: { added_tokens_decoder: { '503': { content: '<|x|>', special: true } } } })
    expect(() => openTokenizer(taken)).toThrow(/the id 503 stands for two tokens/)
  })

  it('reads merges in the older form as well', () => {
    const { model } = tokenizerJson()
    const merges = (model.merges as string[][]).map((pair) => pair.join(' '))
    const older = openTokenizer(variant('older', { tokenizer: { model: { ...model, merges } } }))
    for (const { text, ids } of cases.encode) expect(older.encode(text)).toEqual(ids)
  })

  it('refuses a special token that the vocabulary lacks', () => {
    const dir = variant('eos', { config: { eos_token: '<|nothing|>' } })
    expect(() => openTokenizer(dir)).toThrow(/eos_token "<\|nothing\|>" is no token/)
  })
})
