/** `recompense credit read`: the fields of trajectories that only models can give, for every estimator on one file. */
import { resolve } from 'node:path'
import { InvalidArgumentError, Option } from 'commander'
import { BadInput } from '../../../shared/bad-input.ts'
import { define } from '../command.ts'
import { plural } from '../figures.ts'
import { type ComputeOptions, computeFlags, inputFlag, modelFlag, notNegativeInteger } from '../flags.ts'
import { nameDevice, openModel } from '../inference.ts'
import { table } from '../table.ts'
import { requireWritableFile, writingTo } from '../user-path.ts'

interface Options extends ComputeOptions {
  readonly model: string
  readonly policy?: string
  readonly reference?: string
  readonly teacher?: string
  readonly valueAdapter?: string
  readonly rewardAdapter?: string
  readonly nullToken?: number
  readonly gateMin: number
  readonly gateMax: number
  readonly replace: boolean
  readonly input: string
  readonly out: string
}

const share = (text: string): number => {
  const value = Number(text)
  if (text.trim() === '' || !(value >= 0 && value <= 1)) throw new InvalidArgumentError('Must be a number from 0 to 1.')
  return value
}
const base = 'base'

export const creditRead = define<Options>({
  name: 'read',
  summary: 'add to trajectories what only models can say of their tokens',
  options: [
    modelFlag(),
    new Option('--policy <adapter>', `logprobs where none were recorded, and retention; "${base}" is the base alone`),
    new Option('--reference <adapter>', `ref_logprobs; "${base}" is the base alone`),
    new Option('--teacher <adapter>', `teacher_logprobs; "${base}" is the base alone`),
    new Option('--value-adapter <dir>', 'values, and bootstrap_value of cut rollouts: PEFT folder with its value head'),
    new Option('--reward-adapter <dir>', 'prefix_scores, base_score and token_influences: PEFT folder with score head'),
    new Option('--null-token <id>', 'token that stands for nothing in token_influences (default: PAD)').argParser(
      notNegativeInteger,
    ),
    new Option('--gate-min <g>', 'retention of attention spread evenly').argParser(share).default(0.8),
    new Option('--gate-max <g>', 'retention of attention on one position').argParser(share).default(1),
    new Option('--replace', 'read again what the file has; logprobs of the sampling stay').default(false),
    inputFlag('trajectories with token ids'),
    new Option('--out <file>', 'trajectory file to write').makeOptionMandatory(),
    ...computeFlags(),
  ],
  details: `All prefix scores of a rollout come from one forward pass of the reward model; observations between actions are scored
too. A token influence is ⟨∂R/∂e_t, E[y_t] − E[null]⟩, one backward pass a rollout. Retention is gate-min + (gate-max −
gate-min)·(1 − H/ln n), H the entropy of the attention of the position before the token, mean over heads and layers.
Result: file, rows, fields{name: {read, kept}}.`,
  example:
    'credit read --model resources/models/embedded --policy base --reference base --input resources/examples/trajectories.jsonl --out /tmp/read.jsonl',
  run: async (context, options) => {
    const [{ readTrajectories }, { readFields, requireReaders }, { roleFromPeft }, { writeRows }] = await Promise.all([
      import('../../rows/read-trajectories.ts'),
      import('../../engine/credit/read-fields.ts'),
      import('../../engine/learn/role.ts'),
      import('../../rows/write-rows.ts'),
    ])
    const out = resolve(options.out)
    requireWritableFile(options.out)
    if (options.gateMin > options.gateMax) throw new BadInput('--gate-max', 'lies below --gate-min')
    const trajectories = (await readTrajectories(options.input)).map(({ row }) => row)
    const stage = await openModel(context, options)
    const policyOf = (adapter: string) => (adapter === base ? null : roleFromPeft(adapter, stage.base))
    const { policy, reference, teacher, valueAdapter, rewardAdapter } = options
    const readers = {
      ...(policy === undefined ? {} : { policy: policyOf(policy) }),
      ...(reference === undefined ? {} : { reference: policyOf(reference) }),
      ...(teacher === undefined ? {} : { teacher: policyOf(teacher) }),
      ...(valueAdapter === undefined ? {} : { value: roleFromPeft(valueAdapter, stage.base, 'v_head') }),
      ...(rewardAdapter === undefined ? {} : { reward: roleFromPeft(rewardAdapter, stage.base, 'score') }),
    }
    requireReaders(readers)
    const { gateMin: least, gateMax: most, nullToken, replace } = options
    const read = await readFields(
      stage,
      readers,
      trajectories,
      options.input,
      { gate: { least, most }, nullToken, replace },
      (phase, done, total) => context.progress.report({ phase, done, total }),
    )
    await writingTo(options.out, () => writeRows(out, read.trajectories))
    nameDevice(context, stage)
    const fields = Object.entries(read.fields)
    return {
      json: { file: out, rows: trajectories.length, fields: read.fields },
      text: () =>
        `${table(
          [
            { title: 'field', cell: ([name]) => name },
            { title: 'read', cell: ([, counts]) => String(counts.read), align: 'right' },
            { title: 'kept', cell: ([, counts]) => String(counts.kept), align: 'right' },
          ],
          fields,
        )}\n${context.style.quiet(`${out}: ${plural(trajectories.length, 'rollout')}`)}`,
    }
  },
})
