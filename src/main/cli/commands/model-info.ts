/** `recompense model info`: what a checkpoint folder holds. */
import { Argument } from 'commander'
import { define } from '../command.ts'
import { bytes, count } from '../figures.ts'
import { facts } from '../table.ts'

export const modelInfo = define<Record<string, never>>({
  name: 'info',
  summary: 'what a base checkpoint is',
  arguments: [new Argument('<dir>', 'Hugging Face folder')],
  options: [],
  details: `Checks the folder completely: configuration, every tensor's name and shape, tokenizer against vocabulary.
Result: model, architecture, config, parameters, weight_bytes, dtypes{dtype: tensors}, tokenizer{size, max_id, eos_id,
pad_id}, eos_ids, eos_source, base_sha256.`,
  example: 'model info resources/models/embedded --json',
  run: async ({ style }, _options, [dir = '']) => {
    const [{ openBase }, { openTokenizer, checkTokenizerFits }] = await Promise.all([
      import('../../engine/checkpoint/hf-folder.ts'),
      import('../../engine/checkpoint/tokenizer.ts'),
    ])
    const base = openBase(dir)
    const tokenizer = openTokenizer(dir)
    checkTokenizerFits(base, tokenizer)
    const tensors = [...base.tensors.values()]
    const dtypes: Record<string, number> = {}
    for (const { dtype } of tensors) dtypes[dtype] = (dtypes[dtype] ?? 0) + 1
    const info = {
      model: dir,
      architecture: 'Qwen2ForCausalLM',
      config: base.config,
      parameters: tensors.reduce((sum, { shape }) => sum + shape.reduce((product, size) => product * size, 1), 0),
      weight_bytes: tensors.reduce((sum, { length }) => sum + length, 0),
      dtypes,
      tokenizer: {
        size: tokenizer.size,
        max_id: tokenizer.maxId,
        eos_id: tokenizer.eosId ?? null,
        pad_id: tokenizer.padId ?? null,
      },
      eos_ids: base.eosIds,
      eos_source: base.eosSource,
      base_sha256: base.sha256(),
    }
    return { json: info, text: () => infoText(style.strong(dir), info) }
  },
})

interface Info {
  readonly architecture: string
  readonly config: {
    readonly hiddenSize: number
    readonly layers: number
    readonly heads: number
    readonly kvHeads: number
    readonly vocabSize: number
    readonly maxPositions: number
    readonly tied: boolean
  }
  readonly parameters: number
  readonly weight_bytes: number
  readonly dtypes: Readonly<Record<string, number>>
  readonly tokenizer: { readonly size: number }
  readonly eos_ids: readonly number[]
  readonly eos_source: string
  readonly base_sha256: string
}

function infoText(title: string, info: Info): string {
  const { config } = info
  return [
    title,
    facts([
      ['architecture', `${info.architecture}, ${config.tied ? 'tied' : 'untied'} embeddings`],
      ['parameters', count(info.parameters)],
      ['weights', `${bytes(info.weight_bytes)} (${Object.keys(info.dtypes).join(', ')})`],
      ['layers', `${config.layers} of hidden size ${config.hiddenSize}`],
      ['heads', `${config.heads}, ${config.kvHeads} for keys and values`],
      ['vocabulary', `${count(config.vocabSize)} rows, tokenizer ${count(info.tokenizer.size)}`],
      ['positions', count(config.maxPositions)],
      ['end of text', `${info.eos_ids.join(', ')} (${info.eos_source})`],
      ['SHA-256', info.base_sha256],
    ]),
  ].join('\n')
}
