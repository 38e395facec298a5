/** `recompense generate`: free generation from prompts. */

import { Option } from 'commander'
import { BadInput } from '../../../shared/bad-input.ts'
import { define } from '../command.ts'
import {
  adapterFlag,
  type ComputeOptions,
  computeFlags,
  inputFlag,
  modelFlag,
  positiveInteger,
  positiveNumber,
  seedFlag,
  wholeNumber,
} from '../flags.ts'
import { nameDevice, openModel } from '../inference.ts'
import { plainText } from '../plain-text.ts'
import { table } from '../table.ts'

interface Options extends ComputeOptions {
  readonly model: string
  readonly adapter?: string
  readonly input: string
  readonly greedy?: boolean
  readonly temperature: number
  readonly maxNewTokens: number
  readonly maxPromptTokens: number
  readonly eos?: number
  readonly seed: number
}

export const generate = define<Options>({
  name: 'generate',
  summary: 'free generation from prompts',
  options: [
    modelFlag(),
    adapterFlag(),
    inputFlag('{id, prompt | prompt_ids, raw?}'),
    new Option('--greedy', 'take the likeliest token at every step').conflicts('temperature'),
    new Option('--temperature <t>', 'sample from softmax(logits / t)').argParser(positiveNumber).default(1),
    new Option('--max-new-tokens <n>', 'tokens after which a response is cut').argParser(positiveInteger).default(64),
    new Option('--max-prompt-tokens <n>', 'refuse rows whose prompt has more tokens')
      .argParser(positiveInteger)
      .default(256),
    new Option('--eos <id>', "stop at this id alone (default: the checkpoint's eos_token_id list)").argParser(
      wholeNumber,
    ),
    seedFlag(49, 'sampling'),
    ...computeFlags(),
  ],
  details: `A response ends at an end-of-text id, which is its last token (finish_reason eos), or is cut (length). No id is
suppressed. logprobs are at temperature 1, whatever temperature sampled.
Result: rows[{id, token_ids, text, finish_reason, logprobs, tokenization_valid}] in the order of the input.`,
  example: 'generate --model resources/models/embedded --input resources/examples/prompts.jsonl --greedy --json',
  run: async (context, options) => {
    const [{ readRows }, { promptRowSchema }, { encodePrompts }] = await Promise.all([
      import('../../rows/read-rows.ts'),
      import('../../rows/row-schemas.ts'),
      import('../../rows/encode.ts'),
    ])
    const placed = await readRows(options.input, promptRowSchema)
    const stage = await openModel(context, options)
    const { encoderFor } = await import('../../engine/learn/stage-context.ts')
    const { maxPositions, vocabSize } = stage.base.config
    const room = maxPositions - options.maxNewTokens
    if (room < 1) throw new BadInput('--max-new-tokens', `the checkpoint has ${maxPositions} positions in all`)
    if (options.eos !== undefined && (options.eos < 0 || options.eos >= vocabSize)) {
      throw new BadInput('--eos', `${options.eos} is outside the vocabulary of ${vocabSize}`)
    }
    const prompts = encodePrompts(
      encoderFor(stage, options.input, {
        promptTokens: Math.min(options.maxPromptTokens, room),
        completionTokens: options.maxNewTokens,
        contextTokens: maxPositions,
      }),
      placed,
    )
    const [{ roleFromPeft }, { generateRows }, { PhaseClock }, { TorchRandom }] = await Promise.all([
      import('../../engine/learn/role.ts'),
      import('../../engine/learn/generate-rows.ts'),
      import('../../engine/learn/stage-run.ts'),
      import('../../engine/random/torch-random.ts'),
    ])
    const policy = options.adapter === undefined ? null : roleFromPeft(options.adapter, stage.base)
    nameDevice(context, stage)
    const random = new TorchRandom(options.seed)
    const rows = await generateRows(stage, prompts, {
      policy,
      reference: null,
      reward: null,
      maxNewTokens: options.maxNewTokens,
      eosIds: options.eos === undefined ? stage.base.eosIds : [options.eos],
      choice:
        options.greedy === true
          ? { kind: 'greedy' }
          : { kind: 'sample', temperature: options.temperature, uniform: () => random.uniform01() },
      clock: new PhaseClock(),
      onRows: (done) => context.progress.report({ phase: 'generate', done, total: prompts.length }),
    })
    return {
      json: { rows },
      text: () =>
        table(
          [
            { title: 'row', cell: (row) => plainText(row.id) },
            { title: 'tokens', cell: (row) => String(row.token_ids.length), align: 'right' },
            { title: 'end', cell: (row) => row.finish_reason },
            { title: 'text', cell: (row) => JSON.stringify(row.text) },
          ],
          rows,
        ),
    }
  },
})
