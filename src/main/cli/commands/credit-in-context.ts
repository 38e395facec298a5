/** `recompense credit in-context`: what scored examples in a prompt do to the next token, and its bounds. */
import { resolve } from 'node:path'
import { Option } from 'commander'
import { define } from '../command.ts'
import { adapterFlag, type ComputeOptions, computeFlags, inputFlag, modelFlag } from '../flags.ts'
import { inContextText } from '../in-context-text.ts'
import { nameDevice, openModel } from '../inference.ts'
import { toJson } from '../json.ts'
import { requireWritableFile, writingTo } from '../user-path.ts'

interface Options extends ComputeOptions {
  readonly model: string
  readonly adapter?: string
  readonly input: string
  readonly output?: string
}

export const creditInContext = define<Options>({
  name: 'in-context',
  summary: 'what scored examples in a prompt do to the next token',
  options: [
    modelFlag(),
    adapterFlag(),
    inputFlag('{id, examples: [{prompt?, response, score}], prompt}'),
    new Option('--output <file>', 'also write the JSON document to this file'),
    ...computeFlags(),
  ],
  details: `p is the next token after the whole prompt, q the same where no layer sees the examples: ids and positions stay, their
columns are masked for all that follows them. With Δ = log p − log q both divergences are at most (max Δ − min Δ)²/8. By
layer: attention of the last position on the examples, ‖o − o′‖ with its bound √Σ_h (α_h · max ‖v − o′_h‖)², and the KL where
this layer alone does not see them. The control gives the same texts their scores in reverse order. One forward pass for
each of these and for every layer. Natural logarithms. This describes a forward pass: it is neither learning nor credit.
Result: rows[{id, tokens, example_tokens, entropy_with, entropy_without, shift{kl, kl_reverse, total_variation,
log_ratio_range, kl_bound, pinsker_bound}, changed_tokens[], mass_mean, mass_max, layers[], examples[], scores{order,
same_positions, shift}}], forward_passes.`,
  example:
    'credit in-context --model resources/models/embedded --input resources/examples/scored-examples.jsonl --threads 1',
  run: async (context, options) => {
    const [{ inContextOfFile }, { writeFileAtomically }] = await Promise.all([
      import('../../workbench/credit/in-context-file.ts'),
      import('../../engine/checkpoint/atomic-write.ts'),
    ])
    const { input, adapter, output } = options
    if (output !== undefined) requireWritableFile(output)
    const stage = await openModel(context, options)
    const read = await inContextOfFile(stage, { input, ...(adapter !== undefined && { adapter }) }, (done, total) => {
      if (done === 0) nameDevice(context, stage)
      context.progress.report({ phase: 'forward passes', done, total })
    })
    if (output !== undefined)
      await writingTo(output, () => writeFileAtomically(resolve(output), [Buffer.from(`${toJson(read)}\n`)]))
    return { json: read, text: () => inContextText(read, context.style) }
  },
})
