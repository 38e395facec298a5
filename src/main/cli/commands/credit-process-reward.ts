/** `recompense credit process-reward`: what process reward an outcome reward induces, or why there is none to read. */
import { Option } from 'commander'
import { define } from '../command.ts'
import { trajectoryInputFlag } from '../credit-flags.ts'

interface Options {
  readonly input: string
  readonly tokens?: boolean
}

export const creditProcessReward = define<Options>({
  name: 'process-reward',
  summary: 'the process reward that outcomes induce on shared prefixes, or the refusal with its numbers',
  options: [
    trajectoryInputFlag(),
    new Option('--tokens', 'also give the process reward, q and number of rollouts of every trained token'),
  ],
  details: `q(prefix) is the mean outcome of the rollouts of a group that begin with it after the prompt; a token is paid q after less q before it.
A group is killed where no trained token's prefix is shared by two rollouts, or q is the same everywhere; the verdict is
refused where every group is killed, and the exit status stays 0. Abstentions are left out of every mean and count.
longest_common_prefix is in tokens and of the whole group; divergence depth is 1 + the longest prefix shared with any other.
Result: groups[{group, rollouts, abstained, positions, root_value, longest_common_prefix, mean_divergence_depth,
informative_fraction, zero_reward_fraction, killed, reason}], killed_groups, verdict: refused | partial | informative,
remedy, abstained, mean_zero_reward_fraction, max_informative_fraction, formula, notes, trajectories (with --tokens).`,
  example: 'credit process-reward --input resources/examples/trajectories.jsonl --json',
  run: async (context, { input, tokens = false }) => {
    const [{ eachTrajectory }, { processReward }, { processRewardText }] = await Promise.all([
      import('../../rows/read-trajectories.ts'),
      import('../../workbench/credit/induced-process-reward.ts'),
      import('../credit-text.ts'),
    ])
    const result = await processReward(rowsOf(eachTrajectory(input)), input, tokens)
    return { json: result, text: () => processRewardText(context.style, result) }
  },
})

async function* rowsOf<Row>(placed: AsyncIterable<{ readonly row: Row }>): AsyncGenerator<Row> {
  for await (const { row } of placed) yield row
}
