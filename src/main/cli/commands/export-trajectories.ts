/** `recompense export trajectories`: the rollouts that a run recorded, as a trajectory file for the credit commands. */
import { resolve } from 'node:path'
import { Argument, InvalidArgumentError, Option } from 'commander'
import { define } from '../command.ts'
import { plural } from '../figures.ts'
import { withWorkbench } from '../study-session.ts'
import { requireWritableFile, writingTo } from '../user-path.ts'

interface Options {
  readonly out: string
  readonly iterations?: readonly [number, number]
}

export const exportTrajectories = define<Options>({
  name: 'trajectories',
  summary: 'write the rollouts that a run recorded as a trajectory file',
  arguments: [new Argument('<run>', 'the run, as study show names it, or a study for its PPO run')],
  options: [
    new Option('--out <file>', 'JSONL file to write').makeOptionMandatory(),
    new Option('--iterations <a-b>', 'first and last iteration, both included (default: all)').argParser(range),
  ],
  details: `One trajectory a rollout: the prompt as a user turn, the response as an assistant turn with logprobs, ref_logprobs,
values, rewards, and the advantages and returns that the run learned from. reward is what the whole response was given at
its end; rollouts of one prompt share a group.
Result: file, rows, groups.`,
  example:
    'export trajectories "$(npm run --silent recompense -- study list --json | jq -r .studies[0].study_id)" --out /tmp/rollouts.jsonl',
  run: (context, { out, iterations }, [run = '']) => {
    requireWritableFile(out)
    return withWorkbench(context, async (bench) => {
      const { exportTrajectoriesOf } = await import('../../workbench/credit/export-trajectories.ts')
      const written = await writingTo(out, () => exportTrajectoriesOf(bench, run, resolve(out), iterations))
      return {
        json: written,
        text: () => `${written.file}: ${plural(written.rows, 'rollout')} in ${plural(written.groups, 'group')}`,
      }
    })
  },
})

function range(text: string): readonly [number, number] {
  const found = /^(\d+)(?:-(\d+))?$/.exec(text)
  const [first, last] = [Number(found?.[1]), Number(found?.[2] ?? found?.[1])]
  if (found === null || first > last) throw new InvalidArgumentError('Must be one iteration, or first-last.')
  return [first, last]
}
