/** `recompense model pretrain`: makes the embedded base model again, from its recipe. */
import { Option } from 'commander'
import { define } from '../command.ts'
import { count, decimal } from '../figures.ts'
import { threadsFlag } from '../flags.ts'
import { facts } from '../table.ts'
import { requireNewFolder } from '../user-path.ts'

interface Options {
  readonly out: string
  readonly threads: number
}

export const modelPretrain = define<Options>({
  name: 'pretrain',
  summary: 'make the embedded base model again, from its recipe',
  options: [new Option('--out <dir>', 'new or empty folder to write to').makeOptionMandatory(), threadsFlag()],
  details: `Trains on the CPU, always on the same documents in the same order. The corpus, the tokenizer and the settings are
the recipe's, and stand in provenance.json beside the weights.
Result: dir, parameters, steps, tokens, final_loss.`,
  example: 'model pretrain --out /tmp/embedded-again',
  run: async (context, { out, threads }) => {
    requireNewFolder(out)
    const { pretrain } = await import('../../engine/pretrain/pretrain.ts')
    const made = await pretrain({
      out,
      threads,
      signal: context.interrupts.signal,
      onProgress: ({ done, total, loss }) =>
        context.progress.report({ phase: 'pretrain', detail: `loss ${decimal(loss, 3)}`, done, total }),
    })
    const { dir, parameters, steps, tokens, finalLoss } = made
    return {
      json: { dir, parameters, steps, tokens, final_loss: finalLoss },
      text: () =>
        facts([
          ['model', dir],
          ['parameters', count(parameters)],
          ['steps', count(steps)],
          ['tokens', count(tokens)],
          ['loss', `${decimal(finalLoss)} nats a token`],
        ]),
    }
  },
})
