/** Re-hashes every artifact of a study and checks every recorded invariant again. Nothing is repaired or changed. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { runFiles, type StageSummary } from '../../shared/stage.ts'
import type { Check } from '../../shared/study-document.ts'
import { type BranchName, branchNames } from '../../shared/study-results.ts'
import { readCorpusDir } from '../engine/study/corpus-files.ts'
import { summarizePopulations } from '../engine/study/evaluate.ts'
import { hashRange, parseJournal } from '../jobs/journal-lines.ts'
import { artifactsOf } from '../store/artifacts.ts'
import { branchOf } from '../store/evaluations.ts'
import { factsOf, resumeChecksOf } from '../store/facts.ts'
import { canonicalJson } from '../store/json.ts'
import { probesOf } from '../store/probes.ts'
import { rewardTestOf } from '../store/reward-pairs.ts'
import { rolloutsOf } from '../store/rollouts.ts'
import { type RunRow, runFor, runsOfStudy } from '../store/runs.ts'
import type { StudyRow } from '../store/studies.ts'
import { ppoUpdatesOf, updatesOf } from '../store/updates.ts'
import { fileSha256, filesBelow } from './files-on-disk.ts'
import { requireSameModel } from './model-folder.ts'
import { corpusDir, runDir, studyDir } from './places.ts'
import { reportChoiceFile } from './report-choice.ts'
import { roleFacts } from './role-facts.ts'
import { configSha256 } from './study-config.ts'
import { requireStudy, type Workbench } from './workbench.ts'

export interface Verification {
  readonly study_id: string
  /** Whether no check failed. */
  readonly ok: boolean
  readonly checks: readonly Check[]
}

/** Throws `BadInput` only when there is no such study; everything found wrong is a failed check. */
export function verifyStudy(bench: Workbench, id: string): Verification {
  const study = requireStudy(bench, id)
  const checks = [
    ...artifactChecks(bench, study),
    check('configuration', () => {
      const found = configSha256(study.config)
      if (found !== study.configSha256) throw new Error(`SHA-256 is ${found}, recorded is ${study.configSha256}`)
      return study.configSha256
    }),
    ...(study.corpusManifestSha256 === null ? [] : [corpusCheck(bench, study)]),
    baseCheck(study),
    ...runsOfStudy(bench.store.db, study.studyId).flatMap((run) => runChecks(bench, study, run)),
    ...rolesAgain(bench, study),
    ...resultChecks(bench, study),
    ...factsOf(bench.store.db, study.studyId).map((fact) => ({ ...fact, name: `recorded: ${fact.name}` })),
    ...resumeChecksOf(bench.store.db, study.studyId).map((resume) => ({
      name: `recorded: resumed ${resume.stage} equals continuous`,
      status: resume.status,
      detail: `interrupted after ${resume.interrupted_after} ${resume.unit}`,
    })),
  ]
  return { study_id: study.studyId, ok: checks.every(({ status }) => status !== 'failed'), checks }
}

/** Ok with what `work` says, failed with what it throws. */
function check(name: string, work: () => string): Check {
  try {
    return { name, status: 'ok', detail: work() }
  } catch (error) {
    return { name, status: 'failed', detail: error instanceof Error ? error.message : String(error) }
  }
}

function artifactChecks(bench: Workbench, study: StudyRow): Check[] {
  const root = studyDir(bench.home, study.studyId)
  const recorded = artifactsOf(bench.store.db, study.studyId)
  const checks = recorded.map(({ path, sha256, bytes }) =>
    check(`file ${path}`, () => {
      const file = join(root, path)
      if (!existsSync(file)) throw new Error('is missing')
      const size = statSync(file).size
      if (size !== bytes) throw new Error(`has ${size} bytes, recorded are ${bytes}`)
      const found = fileSha256(file)
      if (found !== sha256) throw new Error(`SHA-256 is ${found}, recorded is ${sha256}`)
      return `${bytes} bytes, ${sha256}`
    }),
  )
  return [...checks, ...strangers(root, new Set(recorded.map(({ path }) => path)), study)]
}

/** A file nobody recorded changes no result; in a finished study it is worth a word. */
function strangers(root: string, known: ReadonlySet<string>, study: StudyRow): Check[] {
  if (study.status !== 'finished') return []
  return filesBelow(root)
    .filter((path) => !known.has(path) && !path.startsWith('report/') && path !== reportChoiceFile)
    .map((path) => ({ name: `file ${path}`, status: 'warning', detail: 'is not part of the study' }))
}

function corpusCheck(bench: Workbench, study: StudyRow): Check {
  return check('corpus audit', () => {
    const { audit } = readCorpusDir(corpusDir(bench.home, study.studyId))
    if (canonicalJson(audit) !== canonicalJson(study.corpusAudit)) throw new Error('differs from the recorded audit')
    return `${audit.pairs} pairs, ${audit.probe_rows} probe rows`
  })
}

/** The base may rightly lie elsewhere today; changed is another matter. */
function baseCheck(study: StudyRow): Check {
  if (!existsSync(study.modelDir)) {
    return { name: 'base model', status: 'warning', detail: `${study.modelDir} is not on this machine; not checked` }
  }
  return check('base model', () => {
    requireSameModel(study.modelDir, study.modelFiles)
    return study.modelDir
  })
}

function runChecks(bench: Workbench, study: StudyRow, run: RunRow): Check[] {
  const dir = runDir(bench.home, study.studyId, run.runId)
  const checks = Object.entries(run.dataSha256).map(([name, recorded]) =>
    check(`${run.runId} input ${name}`, () => {
      const found = fileSha256(join(dir, 'inputs', `${name}.jsonl`))
      if (found !== recorded) throw new Error(`SHA-256 is ${found}, recorded is ${recorded}`)
      return recorded
    }),
  )
  if (run.journalBytes > 0) checks.push(journalCheck(bench, run, join(dir, runFiles.journal)))
  if (run.status === 'finished' && run.baseSha256 !== study.baseSha256) {
    const detail = `${run.baseSha256} in this run, ${study.baseSha256} in the study`
    checks.push({ name: `${run.runId} base`, status: 'failed', detail })
  }
  return checks
}

function journalCheck(bench: Workbench, run: RunRow, file: string): Check {
  return check(`${run.runId} journal equals store`, () => {
    const found = hashRange(file, run.journalBytes).digest('hex')
    if (found !== run.journalSha256) throw new Error(`SHA-256 is ${found}, recorded is ${run.journalSha256}`)
    const lines = parseJournal(readFileSync(file).subarray(0, run.journalBytes), runFiles.journal)
    const { db } = bench.store
    const updates = lines.flatMap((line) => (line.kind === 'update' ? [line] : []))
    const stored = run.stage === 'ppo' ? [] : updatesOf(db, run.runId)
    const same = (line: (typeof updates)[number], index: number) =>
      stored[index]?.update === line.update && stored[index].loss === line.loss
    if (stored.length !== updates.length || !updates.every(same)) throw new Error('the updates differ')
    const iterations = lines.flatMap((line) => (line.kind === 'iteration' ? [line] : []))
    const rollouts = iterations.flatMap((line) => line.rollouts)
    const kept = rolloutsOf(db, run.runId)
    const plain = kept.map(({ iteration: _iteration, policy_sha256: _policy, ...rollout }) => rollout)
    if (!isDeepStrictEqual(plain, rollouts)) throw new Error('the rollouts differ')
    const ppoUpdates = iterations.flatMap((line) => line.updates).length
    if (ppoUpdates !== (run.stage === 'ppo' ? ppoUpdatesOf(db, run.runId).length : 0))
      throw new Error('the PPO updates differ')
    return `${lines.length} lines, ${rollouts.length} rollouts`
  })
}

/** From the stages' own summaries, not from the facts recorded at the time. */
function rolesAgain(bench: Workbench, study: StudyRow): Check[] {
  const summary = (stage: 'sft' | 'reward' | 'ppo'): StageSummary | null => {
    const run = runFor(bench.store.db, study.studyId, stage, 'main')
    return run?.status === 'finished' ? run.summary : null
  }
  const ppo = summary('ppo')
  if (ppo === null) return []
  const policy = summary('sft')?.learnedSha256.policy ?? 'none'
  const reward = summary('reward')?.learnedSha256.reward ?? 'none'
  return roleFacts(ppo, policy, reward)
}

function resultChecks(bench: Workbench, study: StudyRow): Check[] {
  const { db } = bench.store
  const branches = branchNames.flatMap((name: BranchName) => {
    const branch = branchOf(db, study.studyId, name)
    if (branch === null) return []
    return check(`figures of ${name} follow from its rows`, () => {
      if (canonicalJson(summarizePopulations(branch.rows)) !== canonicalJson(branch.metrics)) {
        throw new Error('recomputed figures differ from the stored ones')
      }
      return `${branch.rows.length} rows`
    })
  })
  const rewardTest = rewardTestOf(db, study.studyId)
  const probes = probesOf(db, study.studyId)
  return [
    ...branches,
    ...(rewardTest === null ? [] : [check('reward accuracy follows from its pairs', () => pairsAgain(rewardTest))]),
    ...(probes === null ? [] : [check('probe counts follow from their rows', () => probesAgain(probes))]),
  ]
}

function pairsAgain({ rows, pairs, correct, accuracy }: NonNullable<ReturnType<typeof rewardTestOf>>): string {
  const right = rows.filter((row) => row.chosen_score > row.rejected_score).length
  if (rows.length !== pairs || right !== correct || accuracy !== right / pairs)
    throw new Error('recomputed figures differ')
  return `${right} of ${pairs}`
}

function probesAgain({
  rows,
  groups,
  wrong_polite_outranks_correct_plain: stored,
}: NonNullable<ReturnType<typeof probesOf>>): string {
  const score = (family: string, correct: boolean, polite: boolean) =>
    rows.find((row) => row.family === family && row.candidate_correct === correct && row.candidate_polite === polite)
      ?.reward_score ?? Number.NaN
  const count = groups.filter(({ family }) => score(family, false, true) > score(family, true, false)).length
  if (count !== stored) throw new Error(`${count} counted, ${stored} stored`)
  return `${count} of ${groups.length}`
}
