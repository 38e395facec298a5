/** Stage 6: the frozen reward model on the fixed candidates, and proof that the probing itself changed nothing. */
import { join } from 'node:path'
import { analyseProbes, probeCandidates } from '../../engine/study/probes.ts'
import { artifactsOf, recordArtifacts } from '../../store/artifacts.ts'
import { canonicalJson } from '../../store/json.ts'
import { saveProbes } from '../../store/probes.ts'
import { runsOfStudy } from '../../store/runs.ts'
import { artifactAt } from '../artifacts-of-run.ts'
import { fileSha256, jsonl, writeWhole } from '../files-on-disk.ts'
import { studyDir } from '../places.ts'
import { corpusOf, fact, finishedRun, requireFacts, type StudyWork } from '../study-work.ts'
import { judge } from './evaluation-stage.ts'

export const probesFile = 'results/probes.json'

const protectedKinds = new Set(['corpus', 'adapter', 'critic', 'generations', 'scores', 'results', 'job'])

export async function probesStage(work: StudyWork): Promise<void> {
  const { db } = work.bench.store
  const { studyId } = work.study
  const root = studyDir(work.bench.home, studyId)
  const paths = protectedPaths(work)
  const before = hashes(root, paths)
  const { rows: scores } = await judge(work, 'probes', jsonl(probeCandidates(corpusOf(work))))
  const after = hashes(root, paths)
  const analysis = analyseProbes(corpusOf(work), scores, { seed: work.config.seed })
  const changed = paths.filter((path) => before[path] !== after[path])
  const reward = finishedRun(work, 'reward').runId
  const rewardUnchanged = !changed.some((path) => path.startsWith(`runs/${reward}/`))
  saveProbes(db, studyId, {
    ...analysis,
    reward_unchanged: rewardUnchanged,
    protected_sha256: before,
    main_unchanged: changed.length === 0,
  })
  requireFacts(work, [
    fact('reward model unchanged by the probes', rewardUnchanged, `${paths.length} files hashed before and after`),
    fact('study unchanged by the probes', changed.length === 0, changed[0] ?? `${paths.length} files hashed`),
  ])
  writeWhole(join(root, probesFile), `${canonicalJson({ ...analysis, protected_sha256: before })}\n`)
  recordArtifacts(db, studyId, [artifactAt(root, probesFile, 'results', null)])
}

/** Corpus, settings, learned states and results of the study so far. */
function protectedPaths(work: StudyWork): string[] {
  const { db } = work.bench.store
  const probing = new Set(
    runsOfStudy(db, work.study.studyId)
      .filter((run) => run.purpose === 'probes' || run.purpose === 'resume-check')
      .map((run) => run.runId as string),
  )
  return artifactsOf(db, work.study.studyId)
    .filter(({ kind, run_id }) => protectedKinds.has(kind) && (run_id === null || !probing.has(run_id)))
    .map(({ path }) => path)
    .filter((path) => path !== probesFile)
    .sort()
}

function hashes(root: string, paths: readonly string[]): Record<string, string> {
  return Object.fromEntries(paths.map((path) => [path, fileSha256(join(root, path))]))
}
