/** `recompense reward`: the predicted simulated preference of given completions under a reward adapter. */

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
  readonly adapter: string
  readonly input: string
}

export const reward = define<Options>({
  name: 'reward',
  summary: 'scalar scores of given completions under a reward model',
  options: [
    modelFlag(),
    adapterFlag(true),
    inputFlag('{id, prompt | prompt_ids, completion | completion_ids, raw?}'),
    ...limitFlags(),
    ...computeFlags(),
  ],
  details: `The score is read at the last token of the completion. It is a predicted simulated preference: it has no unit and no
zero, only differences between completions of one prompt mean something. The adapter must carry its score head.
Result: rows[{id, reward, tokens}] in the order of the input.`,
  example:
    'reward --model resources/models/embedded --adapter /tmp/reward-adapter --input resources/examples/demonstrations.jsonl --json',
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
    const { judgeRows } = await import('../../engine/learn/judge-rows.ts')
    const judge = roleFromPeft(options.adapter, stage.base, 'score')
    nameDevice(context, stage)
    const rows = await judgeRows(stage, judge, encoded, (done) =>
      context.progress.report({ phase: 'reward', done, total: encoded.length }),
    )
    return {
      json: { rows },
      text: () =>
        `${table(
          [
            { title: 'row', cell: (row) => plainText(row.id) },
            { title: 'tokens', cell: (row) => String(row.tokens), align: 'right' },
            { title: 'reward', cell: (row) => decimal(row.reward), align: 'right' },
          ],
          rows,
        )}\n${context.style.quiet(plural(rows.length, 'row'))}`,
    }
  },
})
