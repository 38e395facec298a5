/**
 * A run's row and folder: inputs are copied in once and never change. Going on with a run demands that its inputs,
 * settings and parents are those it began with.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BadInput } from '../../shared/bad-input.ts'
import { newRunId, type RunId, type StudyId } from '../../shared/ids.ts'
import { type DeviceName, runFiles, type StageJob, type StageSummary } from '../../shared/stage.ts'
import { canonicalJson } from '../store/json.ts'
import { findRun, insertRun, type RunRow, runFor } from '../store/runs.ts'
import { fileSha256, sha256, writeWhole } from './files-on-disk.ts'
import { cacheDir, runDir } from './places.ts'
import type { Workbench } from './workbench.ts'

export interface RunSpec {
  readonly studyId: StudyId | null
  readonly stage: StageJob['stage']
  readonly purpose: string
  readonly preset: string
  readonly device: DeviceName
  readonly threads: number
  /** Settings without paths. */
  readonly settings: Readonly<Record<string, unknown>>
  /** Content of `inputs/<name>.jsonl`. */
  readonly inputs: Readonly<Record<string, string>>
  readonly parents: readonly { readonly role: string; readonly run_id: RunId }[]
}

export interface PreparedRun {
  readonly runId: RunId
  readonly dir: string
  readonly input: (name: string) => string
  /** The summary of a run that is finished already; then nothing is left to do. */
  readonly finished: StageSummary | null
}

/**
 * The study's run of this stage and purpose, made where there is none yet.
 * @param begun a run outside any study to go on with
 * Throws `BadInput` naming what differs, with both hashes, when the run began with other inputs or settings.
 */
export function prepareRun(bench: Workbench, spec: RunSpec, begun: RunRow | null = null): PreparedRun {
  const { studyId, stage, purpose } = spec
  const existing = begun ?? (studyId === null ? null : runFor(bench.store.db, studyId, stage, purpose))
  const run = existing ?? createRun(bench, spec)
  const dir = runDir(bench.home, run.studyId, run.runId)
  if (existing !== null) requireSameRun(existing, dir, spec)
  const finished = run.status === 'finished' ? run.summary : null
  return { runId: run.runId, dir, input: (name) => inputFile(dir, name), finished }
}

const inputFile = (dir: string, name: string) => join(dir, 'inputs', `${name}.jsonl`)

function createRun(bench: Workbench, spec: RunSpec): RunRow {
  const runId = unusedRunId(bench, spec)
  const dir = runDir(bench.home, spec.studyId, runId)
  for (const [name, content] of Object.entries(spec.inputs)) writeWhole(inputFile(dir, name), content)
  const { settings, parents, stage, purpose } = spec
  writeWhole(join(dir, runFiles.job), `${canonicalJson({ stage, purpose, settings, parents })}\n`)
  const row: RunRow = {
    runId,
    studyId: spec.studyId,
    stage,
    purpose,
    status: 'queued',
    preset: spec.preset,
    config: settings,
    device: spec.device,
    deviceReason: null,
    threads: spec.threads,
    baseSha256: null,
    dataSha256: inputHashes(spec),
    codeVersion: bench.codeVersion,
    parents,
    updatesDone: 0,
    updatesTotal: 0,
    journalBytes: 0,
    journalSha256: null,
    summary: null,
    seconds: {},
    owner: null,
    stageProcess: null,
    error: null,
    errorKind: null,
    createdAt: bench.now().toISOString(),
    startedAt: null,
    finishedAt: null,
  }
  insertRun(bench.store.db, row)
  return row
}

function unusedRunId(bench: Workbench, { stage, purpose }: RunSpec): RunId {
  const what = purpose === 'main' ? stage : `${stage}-${purpose}`
  for (;;) {
    const id = newRunId(bench.now(), bench.random, what)
    if (findRun(bench.store.db, id) === null) return id
  }
}

function inputHashes({ inputs }: RunSpec): Record<string, string> {
  return Object.fromEntries(Object.entries(inputs).map(([name, content]) => [name, sha256(content)]))
}

function requireSameRun(run: RunRow, dir: string, spec: RunSpec): void {
  const wanted = inputHashes(spec)
  for (const [name, recorded] of Object.entries(run.dataSha256)) {
    const file = inputFile(dir, name)
    const found = existsSync(file) ? fileSha256(file) : 'none, it is missing'
    if (found !== recorded) throw changed(file, found, recorded)
    if (wanted[name] !== recorded) throw changed(`${spec.stage} ${name} rows`, wanted[name] ?? 'none', recorded)
  }
  const [now, before] = [spec.settings, run.config].map(canonicalJson) as [string, string]
  if (now !== before) throw changed(`${spec.stage} settings`, sha256(now), sha256(before))
  const parents = (list: RunSpec['parents']) => canonicalJson([...list].sort((a, b) => (a.role < b.role ? -1 : 1)))
  const [parentsNow, parentsBefore] = [parents(spec.parents), parents(run.parents)]
  if (parentsNow !== parentsBefore) throw changed(`${spec.stage} parents`, sha256(parentsNow), sha256(parentsBefore))
}

function changed(what: string, found: string, recorded: string): BadInput {
  return new BadInput(
    what,
    `changed since the run began, so it cannot go on: SHA-256 is ${found}, recorded is ${recorded}; begin a new study`,
  )
}

/** What every job has in common. */
export function jobBase(bench: Workbench, modelDir: string, run: PreparedRun, device: DeviceName, threads: number) {
  return { runId: run.runId, base: modelDir, runDir: run.dir, weightCache: cacheDir(bench.home), device, threads }
}
