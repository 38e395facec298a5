/** `recompense desk demonstrations`: episodes of scripted colleagues, to imitate. */
import { resolve } from 'node:path'
import { Option } from 'commander'
import { define } from '../command.ts'
import { type RuleOptions, ruleFlags, summaryText, type TaskOptions, taskChoice, taskFlags } from '../desk-flags.ts'
import { positiveInteger, seedFlag } from '../flags.ts'
import { requireWritableFile, writingTo } from '../user-path.ts'

interface Options extends TaskOptions, RuleOptions {
  readonly out: string
  readonly perTask: number
  readonly seed: number
}

export const deskDemonstrations = define<Options>({
  name: 'demonstrations',
  summary: 'write episodes of scripted colleagues as trajectories to imitate',
  options: [
    new Option('--out <file>', 'JSONL file to write').makeOptionMandatory(),
    new Option('--per-task <n>', 'episodes of each task').argParser(positiveInteger).default(6),
    ...taskFlags('train'),
    seedFlag(49, 'styles and their choices'),
    ...ruleFlags(),
  ],
  details: `Some colleagues go straight to the fault, some go round, some answer too soon. Turns are text, so that one file serves every
checkpoint; train sft renders them with the checkpoint's chat template and learns the agent's turns alone, each conversation
standing once, observations masked. Long ones need max_context_tokens: 512 in its settings.
Result: file, rows, families, by_style, summary.`,
  example: 'desk demonstrations --out /tmp/desk-demonstrations.jsonl',
  run: async (context, options) => {
    const { writeDemonstrations } = await import('../../workbench/credit/desk.ts')
    const { perTask, seed } = options
    const { rulesOf } = await import('../desk-rules.ts')
    const rules = rulesOf(options)
    const out = resolve(options.out)
    requireWritableFile(options.out)
    const written = await writingTo(out, () => writeDemonstrations(out, taskChoice(options), { perTask, seed, rules }))
    const styles = Object.entries(written.by_style).map(([style, rows]) => `${style} ${rows}`)
    return {
      json: written,
      text: () => `${summaryText(written.summary)}\n${context.style.quiet(`${written.file}: ${styles.join(', ')}`)}`,
    }
  },
})
