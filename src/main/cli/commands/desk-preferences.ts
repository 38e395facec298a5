/** `recompense desk preferences`: pairs for a reward model of the desk. */
import { resolve } from 'node:path'
import { Option } from 'commander'
import { define } from '../command.ts'
import { type TaskOptions, taskChoice, taskFlags } from '../desk-flags.ts'
import { plural } from '../figures.ts'
import { positiveInteger, seedFlag } from '../flags.ts'
import { requireWritableFile, writingTo } from '../user-path.ts'

interface Options extends TaskOptions {
  readonly out: string
  readonly perTask: number
  readonly seed: number
}

export const deskPreferences = define<Options>({
  name: 'preferences',
  summary: 'write preference pairs of answers after the same checks',
  options: [
    new Option('--out <file>', 'JSONL file to write').makeOptionMandatory(),
    new Option('--per-task <n>', 'pairs of each task').argParser(positiveInteger).default(2),
    ...taskFlags('train'),
    seedFlag(49, 'pairs'),
  ],
  details: `The prompt is the conversation up to the answer; the answer that fits is preferred to another area's, or to the same with
certainty that nothing supports. train reward takes the file as it stands (max_prompt_tokens: 480, max_context_tokens: 512).
Result: file, rows, families.`,
  example: 'desk preferences --out /tmp/desk-pairs.jsonl',
  run: async (_context, options) => {
    const { writePreferences } = await import('../../workbench/credit/desk.ts')
    const { perTask, seed } = options
    const out = resolve(options.out)
    requireWritableFile(options.out)
    const written = await writingTo(out, () => writePreferences(out, taskChoice(options), { perTask, seed }))
    return {
      json: written,
      text: () => `${written.file}: ${plural(written.rows, 'pair')} of ${written.families} families`,
    }
  },
})
