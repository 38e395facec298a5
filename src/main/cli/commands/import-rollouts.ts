/** `recompense import rollouts`: another trainer's rollouts as a trajectory file for the credit commands. */
import { Argument, InvalidArgumentError, Option } from 'commander'
import { BadInput } from '../../../shared/bad-input.ts'
import type { ImportFormat } from '../../../shared/credit.ts'
import { type RecoveryEstimator, recoveryEstimators } from '../../importers/skyrl/recover-rewards.ts'
import type { ImportReport } from '../../workbench/credit/import-rollouts.ts'
import { define } from '../command.ts'
import { plural } from '../figures.ts'
import { plainText } from '../plain-text.ts'
import { requireWritableFile, writingTo } from '../user-path.ts'

const trainers = ['skyrl', 'verl', 'trl', 'openrlhf', 'reward-lens'] as const satisfies readonly ImportFormat[]

interface Options {
  readonly from: (typeof trainers)[number]
  readonly tokenizer?: string
  readonly out: string
  readonly estimator?: RecoveryEstimator
  readonly gamma?: number
  readonly lambda?: number
}

export const importRolloutsCommand = define<Options>({
  name: 'rollouts',
  summary: "write another trainer's rollouts as a trajectory file",
  arguments: [new Argument('<path>', 'the dump: a file, or the folder that its trainer wrote')],
  options: [
    new Option('--from <trainer>', 'which trainer wrote it').choices(trainers).makeOptionMandatory(),
    new Option('--tokenizer <dir>', 'tokenizer of the policy: gives texts their ids, and ids their texts'),
    new Option('--out <file>', 'trajectory file (JSONL) to write; an older one is replaced').makeOptionMandatory(),
    new Option('--estimator <name>', 'SkyRL: advantage estimator of the run (default: inferred)').choices(
      recoveryEstimators,
    ),
    new Option('--gamma <x>', 'SkyRL: discount of the run, 0 to 1 (default: 1)').argParser(fraction),
    new Option('--lambda <x>', 'SkyRL: trace decay of the run, 0 to 1 (default: 1)').argParser(fraction),
  ],
  details: `What is read:
  skyrl        dumped_data/global_step_N_training_input.pkl (trainer.dump_data_batch); a pickle, never run
  verl         {step}.jsonl of trainer.rollout_data_dir
  trl          completions/completions_N.parquet of GRPO's log_completions
  openrlhf     JSONL lines with prompt, response or text, reward, global_step
  reward-lens  a record folder with runs/run_ID/steps
Dumps of text alone have no token ids; with --tokenizer each turn is tokenised on its own, and the result says so.
Recorded ids are kept as they are; those whose text is tokenised differently are counted and named.
A grader that abstained gives reward null, never 0. SkyRL drops rewards before it dumps: they are recovered from returns
and values and compared with the mean that the run logged; under grpo and rloo only up to an affine map of each group.
Result: file, from, rows, groups, without_reward, fields_found, fields_absent, notes, warnings, checks, reencoded_differently.`,
  example:
    'import rollouts resources/examples/verl-rollouts.jsonl --from verl --tokenizer resources/models/embedded --out /tmp/rollouts.jsonl --json',
  run: async (context, options, [path = '']) => {
    const { from, tokenizer, out, estimator, gamma, lambda } = options
    for (const [flag, value] of Object.entries({ '--estimator': estimator, '--gamma': gamma, '--lambda': lambda })) {
      if (value !== undefined && from !== 'skyrl') throw new BadInput(flag, `belongs to SkyRL dumps, not to ${from}`)
    }
    requireWritableFile(out)
    const { importRollouts } = await import('../../workbench/credit/import-rollouts.ts')
    const recovery = {
      ...(estimator === undefined ? {} : { estimator }),
      ...(gamma === undefined ? {} : { gamma }),
      ...(lambda === undefined ? {} : { lambda }),
    }
    const report = await writingTo(out, () =>
      importRollouts({ format: from, path, out, recovery, ...(tokenizer === undefined ? {} : { tokenizer }) }),
    )
    for (const warning of report.warnings) context.note(plainText(warning))
    return { json: report, text: () => reportText(report) }
  },
})

function reportText(report: ImportReport): string {
  const { file, rows, groups, without_reward, fields_found, fields_absent, notes, checks } = report
  const graded = without_reward === 0 ? '' : `, ${without_reward} without a reward`
  return [
    `${plainText(file)}: ${plural(rows, 'rollout')} in ${plural(groups, 'group')}${graded}`,
    `found   ${fields_found.map(plainText).join(', ')}`,
    `absent  ${fields_absent.map(plainText).join(', ')}`,
    ...checks.map(
      ({ name, difference, agrees }) =>
        `check   ${name}: ${agrees ? 'agrees' : 'DIFFERS'}, largest difference ${difference.toPrecision(3)}`,
    ),
    ...notes.map((note) => `note    ${plainText(note)}`),
  ].join('\n')
}

function fraction(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !(value >= 0 && value <= 1)) throw new InvalidArgumentError('Must be a number from 0 to 1.')
  return value
}
