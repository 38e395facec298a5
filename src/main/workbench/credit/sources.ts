/**
 * The rollouts that a credit question is asked of: what a run recorded, or a kept file. Every credit service reads its
 * trajectories here, so that the window and the command line mean the same rows.
 */
import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { BadInput } from '../../../shared/bad-input.ts'
import type {
  CreditSources,
  RolloutRun,
  TrajectoryList,
  TrajectoryListing,
  TrajectoryView,
} from '../../../shared/credit.ts'
import type { CreditSource } from '../../../shared/credit-requests.ts'
import type { Trajectory } from '../../../shared/trajectory.ts'
import { readTrajectories } from '../../rows/read-trajectories.ts'
import { auditedIterationsOf } from '../../store/credit-audits.ts'
import { allRolloutRanges } from '../../store/rollouts.ts'
import { findRun, type RunRow } from '../../store/runs.ts'
import { findStudy } from '../../store/studies.ts'
import { tokenTexts } from '../token-texts.ts'
import type { Workbench } from '../workbench.ts'
import { forgetTrajectories, keptFile, keptState, keptTrajectories } from './kept-trajectories.ts'
import { modelOfRun } from './model-of-run.ts'
import { policiesOf, rewardAdaptersOf } from './policies.ts'
import { trajectoriesOfRun } from './trajectories-of-run.ts'
import { fieldCounts } from './trajectory-fields.ts'

export function creditSources(bench: Workbench): CreditSources {
  return { runs: rolloutRuns(bench), files: keptTrajectories(bench.home) }
}

function rolloutRuns({ store: { db } }: Workbench): RolloutRun[] {
  return allRolloutRanges(db).flatMap(({ run_id, rollouts, first_iteration, last_iteration }) => {
    const run = findRun(db, run_id)
    if (run === null) return []
    const study = run.studyId === null ? null : findStudy(db, run.studyId)
    return [
      {
        run_id,
        study_id: run.studyId,
        study_name: study?.name ?? null,
        stage: run.stage,
        status: run.status,
        created_at: run.createdAt,
        rollouts,
        first_iteration,
        last_iteration,
        audited_iterations: auditedIterationsOf(db, run_id),
      },
    ]
  })
}

export interface SourceRows {
  /** As messages name it. */
  readonly name: string
  readonly rows: readonly Trajectory[]
  /** Folder of the model whose tokens these are, where this machine knows it. */
  readonly model: string | null
}

/** The last source read: several questions are asked of the same rows. */
let latest: { readonly key: string; readonly read: Promise<SourceRows> } | undefined

/** Throws `BadInput` for a run or file that is not there or holds no rollout. */
export async function sourceRows(bench: Workbench, source: CreditSource): Promise<SourceRows> {
  // A run that goes on records more; a file can be forgotten or changed, also by another process.
  const state =
    source.kind === 'run' ? findRun(bench.store.db, source.run_id)?.journalSha256 : keptState(bench.home, source.sha256)
  const key = JSON.stringify([bench.home, source, state])
  if (latest?.key === key) return latest.read
  const read = readSource(bench, source)
  latest = { key, read }
  read.catch(() => {
    if (latest?.read === read) latest = undefined
  })
  return read
}

/** Of the home and of this process's memory. Throws `BadInput` when the home keeps no such file. */
export function forgetSource(bench: Workbench, sha256: string): void {
  forgetTrajectories(bench.home, sha256)
  latest = undefined
}

async function readSource(bench: Workbench, source: CreditSource): Promise<SourceRows> {
  if (source.kind === 'run') {
    const rows = trajectoriesOfRun(bench, source.run_id, source.iterations)
    const run = findRun(bench.store.db, source.run_id)
    return { name: source.run_id, rows, model: run === null ? null : modelOfRun(bench, run) }
  }
  const note = keptTrajectories(bench.home).find(({ sha256 }) => sha256 === source.sha256)
  const placed = await readTrajectories(keptFile(bench.home, source.sha256))
  return {
    name: note?.name ?? basename(source.sha256),
    rows: placed.map(({ row }) => row),
    model: note?.tokenizer ?? null,
  }
}

/** The rows of these ids, in the source's order; all where none are named. Throws `BadInput` naming an unknown id. */
export function chosenRows({ name, rows }: SourceRows, ids: readonly string[] | undefined): readonly Trajectory[] {
  if (ids === undefined) return rows
  const wanted = new Set(ids)
  const found = rows.filter(({ id }) => wanted.delete(id))
  const [missing] = wanted
  if (missing !== undefined) throw new BadInput(name, 'holds no such rollout', `row ${missing}`)
  return found
}

export async function listTrajectories(bench: Workbench, source: CreditSource): Promise<TrajectoryList> {
  const { name, rows, model } = await sourceRows(bench, source)
  const run = source.kind === 'run' ? findRun(bench.store.db, source.run_id) : null
  return {
    name,
    model,
    rows: rows.map(listing),
    fields: fieldCounts(rows),
    ...(run === null ? playersOf(bench, source) : ofRun(bench, run, rows)),
  }
}

function ofRun(bench: Workbench, run: RunRow, rows: readonly Trajectory[]) {
  return {
    policies: policiesOf(bench, run, new Set(rows.flatMap(samplerOf))),
    reward_adapters: rewardAdaptersOf(bench, run),
  }
}

/** Who played a file of the desk that was made here. */
function playersOf({ home }: Workbench, source: CreditSource): Pick<TrajectoryList, 'policies' | 'reward_adapters'> {
  const by =
    source.kind === 'file'
      ? keptTrajectories(home).find(({ sha256 }) => sha256 === source.sha256)?.played_by
      : undefined
  const named = (adapter: string | null | undefined) => (adapter == null || !existsSync(adapter) ? [] : [adapter])
  return {
    policies: named(by?.adapter).map((adapter) => ({ name: 'the policy that played', adapter, sampled: true })),
    reward_adapters: named(by?.reward_adapter).map((adapter) => ({ name: 'the reward model of the desk', adapter })),
  }
}

function samplerOf(row: Trajectory): string[] {
  const { policy_sha256: hash } = row as { readonly policy_sha256?: unknown }
  return typeof hash === 'string' ? [hash] : []
}

function listing(row: Trajectory): TrajectoryListing {
  const count = (role: string | null) =>
    row.turns.reduce((sum, turn) => sum + (role === null || turn.role === role ? (turn.token_ids?.length ?? 0) : 0), 0)
  const said = row.turns.findLast(({ role, text }) => role === 'assistant' && text !== undefined)?.text ?? ''
  const { iteration } = row as { readonly iteration?: unknown }
  return {
    id: row.id,
    group: row.group,
    reward: row.reward,
    terminated: row.terminated,
    truncated: row.truncated,
    turns: row.turns.length,
    actions: count('assistant'),
    tokens: count(null),
    iteration: typeof iteration === 'number' ? iteration : null,
    excerpt: said.slice(0, 160),
  }
}

export async function viewTrajectories(
  bench: Workbench,
  source: CreditSource,
  ids: readonly string[],
): Promise<TrajectoryView[]> {
  const read = await sourceRows(bench, source)
  const text = tokenTexts(read.model)
  return chosenRows(read, ids).map((trajectory) => ({
    trajectory,
    token_texts: trajectory.turns.map(({ token_ids = [] }) => token_ids.map(text)),
  }))
}
