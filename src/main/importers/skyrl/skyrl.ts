/** SkyRL's dumped training batches (`trainer.dump_data_batch: true`) as trajectories. */
import { basename } from 'node:path'
import { BadInput } from '../../../shared/bad-input.ts'
import { openBytes } from '../bytes.ts'
import { dumpFiles } from '../dump-files.ts'
import type { ImportCheck, ImportedRow, ImportedTurn, RolloutSource } from '../rollout-row.ts'
import { type BatchGroups, batchGroups } from './batch-groups.ts'
import { asKind } from './pickle-values.ts'
import { type RowRewards, recoverRow, recoveryFor, type SkyrlOptions } from './recovery.ts'
import { fieldRow, type RowLayout, rowLayout } from './row-layout.ts'
import { readTrainingBatch, type TrainingBatch } from './training-batch.ts'

const expected = [
  'sequences',
  'attention_mask',
  'response_mask',
  'loss_mask',
  'action_log_probs',
  'base_action_log_probs',
  'rollout_logprobs',
  'values',
  'returns',
  'advantages',
]
const neverRecorded = ['rewards', 'uids', 'stop_reason']

/** By the name a field has in a trajectory; only actions carry the policy's numbers. */
const ofActions: Readonly<Record<string, string>> = {
  action_log_probs: 'logprobs',
  base_action_log_probs: 'ref_logprobs',
  rollout_logprobs: 'rollout_logprobs',
  advantages: 'advantages',
  returns: 'returns',
}

/** @param path `{export_path}`, its `dumped_data`, or one dump */
export function skyrlSource(path: string, options: SkyrlOptions): RolloutSource {
  const files = dumpFiles(path, {
    name: /^global_step_(\d{1,15})_training_input\.pkl$/,
    subfolder: 'dumped_data',
    expected: 'dump of SkyRL (dumped_data/global_step_N_training_input.pkl)',
  })
  const found = new Set<string>()
  const notes = new Set<string>()
  const checks: ImportCheck[] = []
  const untrained = { rows: 0 }
  return {
    inputs: files,
    *rows() {
      for (const file of files) {
        const source = openBytes(file)
        try {
          const batch = readTrainingBatch(file, source)
          for (const [name, field] of batch.fields) if (field !== null) found.add(name)
          yield* rowsOfDump(file, batch, options, notes, checks, untrained)
        } finally {
          source.close()
        }
      }
    },
    summary: () => ({
      found: [...found],
      absent: [...expected.filter((name) => !found.has(name)), ...neverRecorded],
      notes: [
        ...notes,
        'the dump does not say why a rollout ended; all are read as terminated',
        ...(untrained.rows === 0
          ? []
          : [
              `rollouts with a loss_mask of 0 everywhere, as filtered ones have: ${untrained.rows}; they count in their groups and have no action token`,
            ]),
      ],
      checks,
    }),
  }
}

function* rowsOfDump(
  file: string,
  batch: TrainingBatch,
  options: SkyrlOptions,
  notes: Set<string>,
  checks: ImportCheck[],
  untrained: { rows: number },
): Generator<ImportedRow> {
  const groups = batchGroups(file, batch, (row) => rowLayout(file, batch, row).prompt)
  if (groups.from === 'prompts')
    notes.add('the dump does not say where prompts change; rollouts of equal prompts are one group')
  if (groups.lastStep !== null)
    notes.add('each row is one step of a rollout: steps share an episode, and the last one carries the outcome')
  const recovery = recoveryFor(file, batch, options)
  for (const note of recovery.notes) notes.add(note)
  const name = stepName(file)
  const sizes = groupSizes(groups)
  let [sum, counted, episode] = [0, 0, 0]
  for (let row = 0; row < groups.rows; row++) {
    const layout = rowLayout(file, batch, row)
    const numbers = numbersOf(file, batch, row, layout)
    const group = groups.groupOf[row]!
    const rewards = recoverRow(recovery, { file, row, layout, numbers, groupSize: sizes[group]! })
    if (!layout.segments.some(({ trained }) => trained)) untrained.rows++
    const last = groups.lastStep?.[row] ?? true
    if (last && rewards.reward !== null) {
      sum += rewards.reward
      counted++
    }
    yield {
      id: `${name.prefix}rollout-${row}`,
      group: `${name.prefix}prompt-${group}`,
      ...(name.step === null ? {} : { iteration: name.step }),
      ...(groups.lastStep === null ? {} : { episode: `${name.prefix}episode-${episode}` }),
      reward: rewards.reward,
      reward_origin: recovery.origin,
      terminated: true,
      truncated: false,
      turns: turnsOf(layout, numbers, rewards),
    }
    if (last) episode++
  }
  const check = recovery.inverts ? meanCheck(batch, sum / counted) : null
  if (check !== null) checks.push(check)
}

/** `global_step_12_training_input.pkl` is step 12. */
function stepName(file: string): { readonly prefix: string; readonly step: number | null } {
  const step = /global_step_(\d{1,15})/.exec(basename(file))?.[1]
  return step === undefined ? { prefix: '', step: null } : { prefix: `step-${Number(step)}/`, step: Number(step) }
}

/** Rollouts a group; steps of one rollout count once. */
function groupSizes({ groupOf, lastStep }: BatchGroups): number[] {
  const sizes: number[] = []
  groupOf.forEach((group, row) => {
    sizes[group] = (sizes[group] ?? 0) + (lastStep === null || lastStep[row] === true ? 1 : 0)
  })
  return sizes
}

/** Numbers by field over the response's columns. What stands outside the response is whatever the trainer left there. */
function numbersOf(file: string, batch: TrainingBatch, row: number, layout: RowLayout): Map<string, number[]> {
  const numbers = new Map<string, number[]>()
  for (const name of [...Object.keys(ofActions), 'values']) {
    const field = batch.fields.get(name) ?? null
    if (field === null) continue
    const values = fieldRow(field, row)
    if (values.length !== layout.response.length)
      throw new BadInput(
        file,
        `has ${values.length} ${name} and ${layout.response.length} response_mask columns`,
        `row ${row}`,
      )
    const wrong = values.findIndex((value, place) => layout.response[place] === true && !Number.isFinite(value))
    if (wrong !== -1)
      throw new BadInput(
        file,
        `${name} is ${values[wrong]}, which is not a finite number`,
        `row ${row}, response column ${wrong}`,
      )
    numbers.set(name, values)
  }
  return numbers
}

function turnsOf(layout: RowLayout, numbers: ReadonlyMap<string, number[]>, { tokens }: RowRewards): ImportedTurn[] {
  const turns: ImportedTurn[] = layout.segments.map(({ trained, from, to }) => {
    const cut = (values: readonly number[] | undefined) => values?.slice(from, to)
    const lists = Object.fromEntries(
      Object.entries(ofActions)
        .filter(() => trained)
        .map(([name, ours]) => [ours, cut(numbers.get(name))] as const)
        .filter(([, list]) => list !== undefined),
    )
    const [values, rewards] = [cut(numbers.get('values')), cut(tokens ?? undefined)]
    return {
      role: trained ? 'assistant' : 'tool',
      token_ids: Array.from({ length: to - from }, (_, k) => layout.column(from + k)),
      ...lists,
      ...(values === undefined ? {} : { values }),
      ...(rewards === undefined ? {} : { rewards }),
    }
  })
  return [{ role: 'user', token_ids: layout.prompt }, ...turns]
}

/** Rewards recovered rightly have the mean that the trainer logged. */
function meanCheck(batch: TrainingBatch, found: number): ImportCheck | null {
  const metrics = asKind('dict', batch.metadata.get('metrics'))
  const recorded = metrics?.entries.get('avg_final_rewards')
  if (typeof recorded !== 'number' || !Number.isFinite(recorded) || !Number.isFinite(found)) return null
  const difference = Math.abs(found - recorded)
  return {
    name: 'mean reward',
    recorded,
    found,
    difference,
    agrees: difference <= 1e-4 * Math.max(1, Math.abs(recorded)),
  }
}
