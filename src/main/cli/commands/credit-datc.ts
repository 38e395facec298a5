/** `recompense credit datc`: how a response's advantage is shared among its tokens along the reward model's gradient. */
import { InvalidArgumentError, Option } from 'commander'
import { type Ablation, ablations } from '../../engine/credit/datc/token-weights.ts'
import { define } from '../command.ts'
import { decimal, plural, significant } from '../figures.ts'
import { type ComputeOptions, computeFlags, inputFlag, positiveNumber, seedFlag } from '../flags.ts'
import { nameDevice, openModel } from '../inference.ts'
import { plainText } from '../plain-text.ts'
import { table } from '../table.ts'

interface Options extends ComputeOptions {
  readonly actor: string
  readonly actorAdapter?: string
  readonly reward: string
  readonly rewardAdapter: string
  readonly input: string
  readonly maxWeight: number
  readonly ablation: Ablation
  readonly seed: number
}

export const creditDatc = define<Options>({
  name: 'datc',
  summary: 'direction-aware token weights from the gradients of a reward model',
  options: [
    new Option('--actor <dir>', 'base checkpoint of the policy').makeOptionMandatory(),
    new Option('--actor-adapter <dir>', 'PEFT adapter of the policy (default: the base alone)'),
    new Option('--reward <dir>', 'base checkpoint of the reward model').makeOptionMandatory(),
    new Option('--reward-adapter <dir>', 'PEFT adapter of the reward model, with its score head').makeOptionMandatory(),
    inputFlag('trajectories with rewards and token ids'),
    new Option('--max-weight <λ>', 'weights lie in [1/λ, λ]').argParser(aboveOne).default(4),
    new Option('--ablation <name>', 'no-angle: as if both directions agreed; shuffled: the weights at other tokens')
      .choices(ablations)
      .default('none'),
    seedFlag(49, 'the permutations of shuffled'),
    ...computeFlags(),
  ],
  details: `The advantage of a response is GRPO's over its group. The utility of a token is that advantage times its directional
credit: the inner product of the reward's ascent direction in the policy's logits with the direction that raises the
sampled token. Weights have mean 1 over content tokens; special tokens and white space keep weight 1. It is a first-order
reading at the sampled response in independent logits. Rollouts without a reward are left out. Both models must share one
vocabulary.
Result: rows[{id, advantage, weights, directional_credit, cosine, content, temperature, predicted_gain,
predicted_gain_uniform}]; lists run over the assistant tokens.`,
  example:
    'credit datc --actor resources/models/embedded --reward resources/models/embedded --reward-adapter /tmp/reward-adapter --input /tmp/trajectories.jsonl --json',
  run: async (context, options) => {
    const [{ readTrajectories }, { creditOfRollouts }, { requireAlignedVocabularies }, { roleFromPeft }] =
      await Promise.all([
        import('../../rows/read-trajectories.ts'),
        import('../../engine/credit/datc/credit-of-rollouts.ts'),
        import('../../engine/credit/datc/aligned-vocabularies.ts'),
        import('../../engine/learn/role.ts'),
      ])
    const trajectories = (await readTrajectories(options.input)).map(({ row }) => row)
    const { device, threads } = options
    const actor = await openModel(context, { model: options.actor, device, threads })
    const reward =
      options.reward === options.actor ? actor : await openModel(context, { model: options.reward, device, threads })
    requireAlignedVocabularies(actor, reward)
    const policy = options.actorAdapter === undefined ? null : roleFromPeft(options.actorAdapter, actor.base)
    const judge = roleFromPeft(options.rewardAdapter, reward.base, 'score')
    const rows = await creditOfRollouts(
      { context: actor, role: policy },
      { context: reward, role: judge },
      trajectories,
      options.input,
      options,
      (phase, done, total) => context.progress.report({ phase, done, total }),
    )
    nameDevice(context, actor)
    const leftOut = trajectories.length - rows.length
    return {
      json: { max_weight: options.maxWeight, ablation: options.ablation, rows, left_out: leftOut },
      text: () =>
        `${table(
          [
            { title: 'rollout', cell: (row) => plainText(row.id) },
            { title: 'tokens', cell: (row) => String(row.weights.length), align: 'right' },
            { title: 'advantage', cell: (row) => decimal(row.advantage), align: 'right' },
            { title: 'least weight', cell: (row) => decimal(Math.min(...row.weights)), align: 'right' },
            { title: 'most', cell: (row) => decimal(Math.max(...row.weights)), align: 'right' },
            { title: 'τ', cell: (row) => decimal(row.temperature ?? 1), align: 'right' },
            { title: 'predicted gain', cell: (row) => significant(row.predicted_gain, 4), align: 'right' },
            { title: 'with equal weights', cell: (row) => significant(row.predicted_gain_uniform, 4), align: 'right' },
          ],
          rows,
        )}\n${context.style.quiet(`${plural(rows.length, 'rollout')}${leftOut === 0 ? '' : `; ${leftOut} without a reward left out`}`)}`,
    }
  },
})

function aboveOne(text: string): number {
  const value = positiveNumber(text)
  if (value <= 1) throw new InvalidArgumentError('Must be a number above 1.')
  return value
}
