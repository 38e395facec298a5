/** `recompense desk branch`: continuations of played episodes from their prefixes. */
import { resolve } from 'node:path'
import { InvalidArgumentError, Option } from 'commander'
import { define } from '../command.ts'
import { summaryText } from '../desk-flags.ts'
import { plural } from '../figures.ts'
import { inputFlag, positiveInteger } from '../flags.ts'
import { requireWritableFile, writingTo } from '../user-path.ts'
import { openPlay, type PlayOptions, playFlags } from './desk-rollouts.ts'

interface Options extends PlayOptions {
  readonly input: string
  readonly branches: number
  readonly at: number | 'every'
}

export const deskBranch = define<Options>({
  name: 'branch',
  summary: 'play on from prefixes of episodes, so that groups become trees',
  options: [
    inputFlag('trajectories that desk rollouts wrote'),
    new Option('--branches <n>', 'continuations of each prefix').argParser(positiveInteger).default(4),
    new Option('--at <turn>', 'prefixes of this many agent turns, or of every length')
      .argParser(turnOrEvery)
      .default('every'),
    ...playFlags(),
  ],
  details: `A prefix is rebuilt by playing its turns again and must come out as recorded. Branches keep the prefix's tokens and stay in its
group; a prefix that several rollouts share is branched once. The file holds the rollouts that were read, then the branches
(branch{of, turns}). Group means over such a tree weigh a prefix by the branches it was given.
Result: out, prefixes, branches, summary (of the branches alone, as in desk rollouts).`,
  example:
    'desk branch --model resources/models/embedded --input /tmp/desk-rollouts.jsonl --at 1 --branches 2 --out /tmp/desk-tree.jsonl',
  run: async (context, options) => {
    const { rulesOf } = await import('../desk-rules.ts')
    const rules = rulesOf(options)
    const { deskBranches, writeTrajectories } = await import('../../workbench/credit/desk.ts')
    const out = resolve(options.out)
    requireWritableFile(options.out)
    const play = await openPlay(context, options, rules)
    const { trajectories, prefixes, branches, summary } = await deskBranches(play, options.input, options)
    await writingTo(out, () => writeTrajectories(out, trajectories))
    return {
      json: { out, prefixes, branches, summary },
      text: () =>
        `${summaryText(summary)}\n${context.style.quiet(`${out}: ${plural(branches, 'branch').replace('branchs', 'branches')} of ${plural(prefixes, 'prefix').replace('prefixs', 'prefixes')}`)}`,
    }
  },
})

function turnOrEvery(text: string): number | 'every' {
  if (text === 'every') return text
  try {
    return positiveInteger(text)
  } catch {
    throw new InvalidArgumentError('Must be a turn from 1 on, or every.')
  }
}
