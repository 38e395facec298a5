/** `recompense score`: log-probabilities of given completions, token by token. */

import { define } from '../command.ts'
import { decimal, plural } from '../figures.ts'
import {
  adapterFlag,
  type ComputeOptions,
  computeFlags,
  inputFlag,
  type LimitOptions,
  limitFlags,
  modelFlag,
} from '../flags.ts'
import { limitsWithin, nameDevice, openModel } from '../inference.ts'
import { plainText } from '../plain-text.ts'
import { table } from '../table.ts'

interface Options extends ComputeOptions, LimitOptions {
  readonly model: string
  readonly adapter?: string
  readonly input: string
}

export const score = define<Options>({
  name: 'score',
  summary: 'token log-probabilities of given completions',
  options: [
    modelFlag(),
    adapterFlag(),
    inputFlag('{id, prompt | prompt_ids, completion | completion_ids, raw?}'),
    ...limitFlags(),
    ...computeFlags(),
  ],
  details: `Log-probabilities are natural logarithms at temperature 1. A completion given as text ends with the checkpoint's EOS,
which is scored like any token; completion_ids are scored exactly as given.
Result: rows[{id, token_ids, logprobs, sum_logprob, tokens}] in the order of the input.`,
  example: 'score --model resources/models/embedded --input resources/examples/demonstrations.jsonl --json',
  run: async (context, options) => {
    const [{ readRows }, { demonstrationSchema }, { encodeDemonstrations }] = await Promise.all([
      import('../../rows/read-rows.ts'),
      import('../../rows/row-schemas.ts'),
      import('../../rows/encode.ts'),
    ])
    const placed = await readRows(options.input, demonstrationSchema)
    const stage = await openModel(context, options)
    const { encoderFor } = await import('../../engine/learn/stage-context.ts')
    const encoded = encodeDemonstrations(encoderFor(stage, options.input, limitsWithin(stage, options)), placed)
    const { roleFromPeft } = await import('../../engine/learn/role.ts')
    const policy = options.adapter === undefined ? null : roleFromPeft(options.adapter, stage.base)
    const { scoreRows } = await import('../../engine/learn/score-rows.ts')
    nameDevice(context, stage)
    const rows = await scoreRows(stage, policy, encoded, (done) =>
      context.progress.report({ phase: 'score', done, total: encoded.length }),
    )
    return {
      json: { rows },
      text: () =>
        `${table(
          [
            { title: 'row', cell: (row) => plainText(row.id) },
            { title: 'tokens', cell: (row) => String(row.tokens), align: 'right' },
            { title: 'log-probability', cell: (row) => decimal(row.sum_logprob), align: 'right' },
            { title: 'per token', cell: (row) => decimal(row.sum_logprob / row.tokens), align: 'right' },
          ],
          rows,
        )}\n${context.style.quiet(plural(rows.length, 'row'))}`,
    }
  },
})
