/** tokenizer.json and tokenizer_config.json around a trained BPE, laid out as Qwen2's own are. */
import { type Bpe, qwen2Split } from './train-bpe.ts'

/** Appended to the vocabulary in this order. */
export const specialTokens = ['<|endoftext|>', '<|im_start|>', '<|im_end|>'] as const

/** Qwen2's chat template: a default system turn, then the messages, then the assistant's turn left open. */
const chatTemplate =
  "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}" +
  "{{ '<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n' }}{% endif %}" +
  "{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"

/** The plain words of the template around a user's message: read as often as the messages themselves. */
export const chatFrame: readonly string[] = ['system\nYou are a helpful assistant.', 'user\n', 'assistant\n']

export interface TokenizerFiles {
  readonly files: Readonly<Record<'tokenizer.json' | 'tokenizer_config.json', string>>
  readonly size: number
  readonly endOfTextId: number
  /** Ends a chat turn: the tokenizer's EOS. */
  readonly turnEndId: number
}

/** @param maxPositions written as `model_max_length` */
export function qwen2TokenizerFiles(bpe: Bpe, maxPositions: number): TokenizerFiles {
  const flags = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true }
  const added = specialTokens.map((content, i) => ({ id: bpe.tokens.length + i, content, ...flags }))
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false }
  const tokenizer = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: added,
    normalizer: { type: 'NFC' },
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'Split', pattern: { Regex: qwen2Split }, behavior: 'Isolated', invert: false },
        byteLevel,
      ],
    },
    post_processor: byteLevel,
    decoder: byteLevel,
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: '',
      end_of_word_suffix: '',
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab: Object.fromEntries(bpe.tokens.map((token, id) => [token, id])),
      merges: bpe.merges,
    },
  }
  const config = {
    add_prefix_space: false,
    added_tokens_decoder: Object.fromEntries(added.map(({ id, ...token }) => [id, token])),
    additional_special_tokens: specialTokens.slice(1),
    bos_token: null,
    chat_template: chatTemplate,
    clean_up_tokenization_spaces: false,
    eos_token: '<|im_end|>',
    errors: 'replace',
    model_max_length: maxPositions,
    pad_token: '<|endoftext|>',
    split_special_tokens: false,
    tokenizer_class: 'Qwen2Tokenizer',
    unk_token: null,
  }
  return {
    files: {
      'tokenizer.json': `${JSON.stringify(tokenizer, null, 1)}\n`,
      'tokenizer_config.json': `${JSON.stringify(config, null, 2)}\n`,
    },
    size: bpe.tokens.length + specialTokens.length,
    endOfTextId: added[0]!.id,
    turnEndId: added[2]!.id,
  }
}
