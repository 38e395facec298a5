/**
 * Records of reward-lens: `runs/run_ID/steps/step_range=A-B/{trajectories,turns,groups}.jsonl`, joined on ids as they
 * stream by; only what arrives out of order is kept.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BadInput } from '../../shared/bad-input.ts'
import { isJsonObject, type JsonObject, readJsonObject } from '../engine/checkpoint/input-file.ts'
import { isFolder, namesIn } from './dump-files.ts'
import { centredRule, type GroupRule, grpoRule, ReplayedAdvantages } from './replayed-advantages.ts'
import { gradeOfTree } from './reward-lens-scores.ts'
import { payloadOf, type TableRow, tableRows, textField } from './reward-lens-tables.ts'
import { turnsOfRecord } from './reward-lens-turns.ts'
import type { ImportedRow, RolloutSource } from './rollout-row.ts'

/** Turns that came before their trajectory; a record that is out of order by more than this is not one. */
const mostWaiting = 100_000

interface Counts {
  trajectories: number
  turns: number
  abstentions: number
  withoutIds: number
}

export function rewardLensSource(path: string): RolloutSource {
  const runs = runFolders(path)
  const found = new Set<string>()
  const counts: Counts = { trajectories: 0, turns: 0, abstentions: 0, withoutIds: 0 }
  const replay = new ReplayedAdvantages()
  const rules = new Map<string, GroupRule>()
  const stopSaid = { value: false }
  return {
    inputs: runs,
    async *rows() {
      for (const run of runs) {
        const manifest = readJsonObject(join(run, 'manifest.json'))
        const before = { ...counts }
        for (const folder of partitions(run, manifest)) {
          for await (const rule of groupRules(folder, manifest)) rules.set(rule.name, rule)
          for await (const row of partitionRows(folder, manifest, counts, found)) {
            stopSaid.value ||= row.stop_recorded
            replay.add(row.imported.group, row.imported.reward, row.imported.advantage as number | null | undefined)
            yield row.imported
          }
        }
        requireWhole(run, manifest, counts, before)
      }
    },
    summary: () => {
      const check = replay.check([...rules.values()])
      const named = ['token_ids', 'logprobs_sampling', 'logprobs_train', 'loss_mask', 'step_score', 'advantage']
      return {
        found: [...found],
        absent: [
          ...named.filter((name) => !found.has(name)),
          'ref_logprobs',
          'values',
          'rewards',
          ...(stopSaid.value ? [] : ['stop_reason']),
        ],
        notes: [
          ...(counts.abstentions === 0
            ? []
            : [
                `rollouts without a grade: ${counts.abstentions}; the grader abstained, and their reward is null, not 0`,
              ]),
          ...(counts.withoutIds === 0 ? [] : ['the record holds texts and no token ids']),
          ...(stopSaid.value ? [] : ['the record does not say why a rollout ended; all are read as terminated']),
        ],
        checks: check === null ? [] : [check],
      }
    },
  }
}

/** The record's own folder, its `runs`, or one run. */
function runFolders(path: string): string[] {
  if (isFolder(path)) {
    const isRun = (folder: string) => existsSync(join(folder, 'manifest.json')) && existsSync(join(folder, 'steps'))
    if (isRun(path)) return [path]
    for (const parent of [join(path, 'runs'), path]) {
      const runs = namesIn(parent)
        .map((name) => join(parent, name))
        .filter(isRun)
      if (runs.length > 0) return runs
    }
  }
  throw new BadInput(
    path,
    'is no record of reward-lens: expected is a folder with runs/run_ID/manifest.json and runs/run_ID/steps',
  )
}

function partitions(run: string, manifest: JsonObject): string[] {
  const steps = join(run, 'steps')
  const named = Array.isArray(manifest.partitions)
    ? manifest.partitions.map((part: unknown) => (isJsonObject(part) ? part.name : undefined))
    : namesIn(steps)
  return named.map((name) => {
    // A manifest names folders below `steps`, nothing else.
    if (typeof name !== 'string' || !/^[\w=.-]+$/.test(name) || name.startsWith('.'))
      throw new BadInput(join(run, 'manifest.json'), `names no partition: ${JSON.stringify(name)?.slice(0, 80)}`)
    return join(steps, name)
  })
}

async function* partitionRows(
  folder: string,
  manifest: JsonObject,
  counts: Counts,
  found: Set<string>,
): AsyncGenerator<{ readonly imported: ImportedRow; readonly stop_recorded: boolean }> {
  const turns = turnsInOrder(folder, manifest)
  for await (const row of tableRows(folder, 'trajectories', manifest)) {
    const id = textField(row, 'trajectory_id')
    const payload = payloadOf(row)
    const own = await turns.of(id, row)
    const { list, truncated, fields, withoutIds } = turnsOfRecord(own)
    const reward = gradeOfTree(row, payload)
    const advantage = row.value.advantage ?? null
    if (advantage !== null && (typeof advantage !== 'number' || !Number.isFinite(advantage)))
      throw new BadInput(row.file, 'advantage is not a number', row.where)
    for (const name of fields) found.add(name)
    found.add('scores')
    if (advantage !== null) found.add('advantage')
    counts.trajectories++
    counts.turns += own.length
    counts.abstentions += reward === null ? 1 : 0
    counts.withoutIds += withoutIds
    const features =
      isJsonObject(payload.features) && Object.keys(payload.features).length > 0 ? payload.features : null
    yield {
      stop_recorded: truncated !== null,
      imported: {
        id,
        group: textField(row, 'group_id'),
        ...(typeof row.value.step_index === 'number' ? { iteration: row.value.step_index } : {}),
        reward,
        ...(advantage === null ? {} : { advantage }),
        terminated: truncated !== true,
        truncated: truncated === true,
        ...(features === null ? {} : { features }),
        turns: list,
      },
    }
  }
}

/** Turns stream beside their trajectories, which come in the same order; what comes early waits. */
function turnsInOrder(folder: string, manifest: JsonObject) {
  const rows = tableRows(folder, 'turns', manifest)
  const waiting = new Map<string, TableRow[]>()
  let total = 0
  const take = (id: string): TableRow[] => {
    const own = waiting.get(id) ?? []
    waiting.delete(id)
    total -= own.length
    return own
  }
  return {
    async of(id: string, trajectory: TableRow): Promise<TableRow[]> {
      const expected = trajectory.value.n_turns
      if (!Number.isSafeInteger(expected) || (expected as number) < 1)
        throw new BadInput(trajectory.file, 'n_turns is no number of turns', trajectory.where)
      const count = () => waiting.get(id)?.length ?? 0
      while (count() < (expected as number)) {
        const next = await rows.next()
        if (next.done === true)
          throw new BadInput(
            trajectory.file,
            `has ${count()} of ${String(expected)} turns in ${folder}`,
            trajectory.where,
          )
        const owner = textField(next.value, 'trajectory_id')
        waiting.set(owner, [...(waiting.get(owner) ?? []), next.value])
        if (++total > mostWaiting)
          throw new BadInput(next.value.file, 'turns stand too far from their trajectories', next.value.where)
      }
      return take(id).sort((a, b) => Number(a.value.turn_index) - Number(b.value.turn_index))
    },
  }
}

/** The estimator that each group's advantages were made with, as far as it can be replayed from rewards. */
async function* groupRules(folder: string, manifest: JsonObject): AsyncGenerator<GroupRule> {
  for await (const row of tableRows(folder, 'groups', manifest)) {
    const { estimator } = payloadOf(row)
    if (!isJsonObject(estimator) || estimator.group_centred !== true) continue
    const { std_normalised, std_ddof, std_epsilon } = estimator
    if (std_normalised !== true) yield centredRule
    else if ((std_ddof === 0 || std_ddof === 1) && typeof std_epsilon === 'number' && std_epsilon >= 0)
      yield grpoRule(std_ddof, std_epsilon)
  }
}

/** A record whose tables were cut would pass for a smaller one. */
function requireWhole(run: string, manifest: JsonObject, counts: Counts, before: Counts): void {
  if (!isJsonObject(manifest.counts)) return
  for (const name of ['trajectories', 'turns'] as const) {
    const [stated, read] = [manifest.counts[name], counts[name] - before[name]]
    if (typeof stated === 'number' && stated !== read)
      throw new BadInput(join(run, 'manifest.json'), `counts ${stated} ${name}, the tables hold ${read}`)
  }
}
