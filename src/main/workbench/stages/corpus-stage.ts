/** Stage 1: the corpus is made and audited, or read back and verified to be the one the study began with. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BadInput } from '../../../shared/bad-input.ts'
import { corpusManifest, readCorpusDir, writeCorpusDir } from '../../engine/study/corpus-files.ts'
import { recordArtifacts } from '../../store/artifacts.ts'
import { findStudy, updateStudy } from '../../store/studies.ts'
import { artifactAt } from '../artifacts-of-run.ts'
import { fileSha256, filesBelow } from '../files-on-disk.ts'
import { corpusDir, studyDir } from '../places.ts'
import { fact, requireFacts, type StudyWork, showStep } from '../study-work.ts'

export async function corpusStage(work: StudyWork): Promise<void> {
  const dir = corpusDir(work.bench.home, work.study.studyId)
  showStep(work, 'corpus', 'writing', 0, 2)
  if (!existsSync(join(dir, corpusManifest))) {
    mkdirSync(studyDir(work.bench.home, work.study.studyId), { recursive: true })
    writeCorpusDir(dir, work.config.seed)
  }
  showStep(work, 'corpus', 'auditing', 1, 2)
  readCorpus(work)
  showStep(work, 'corpus', 'auditing', 2, 2)
}

/**
 * Reads, re-hashes and re-audits the corpus and keeps it for the later stages.
 * Throws `BadInput` when it is not the corpus that the study began with, with the hash that differs.
 */
export function readCorpus(work: StudyWork): void {
  const { db } = work.bench.store
  const { studyId } = work.study
  const dir = corpusDir(work.bench.home, studyId)
  const { corpus, audit } = readCorpusDir(dir)
  const manifestFile = join(dir, corpusManifest)
  const found = fileSha256(manifestFile)
  const recorded = findStudy(db, studyId)?.corpusManifestSha256 ?? null
  if (recorded !== null && recorded !== found) {
    throw new BadInput(manifestFile, `changed since the study began: SHA-256 is ${found}, recorded is ${recorded}`)
  }
  work.corpus = corpus
  if (recorded !== null) return
  updateStudy(db, studyId, {
    corpusManifestSha256: found,
    corpusAudit: JSON.parse(JSON.stringify(audit)) as Record<string, unknown>,
  })
  const root = studyDir(work.bench.home, studyId)
  recordArtifacts(
    db,
    studyId,
    filesBelow(dir).map((path) => artifactAt(root, `corpus/${path}`, 'corpus', null)),
  )
  requireFacts(work, separationFacts(work))
}

/** The separation of populations as the files that stages are given really have it. */
function separationFacts(work: StudyWork) {
  const dir = corpusDir(work.bench.home, work.study.studyId)
  const ids = (name: string) =>
    readFileSync(join(dir, name), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { id: string } & Record<string, unknown>)
  const heldout = new Set(ids('heldout-prompts.jsonl').map(({ id }) => id))
  const learning = ['demonstrations.jsonl', 'pairs-train.jsonl', 'pairs-validation.jsonl', 'rollout-prompts.jsonl']
  const leaked = learning.flatMap((name) => ids(name).filter(({ id }) => heldout.has(id)))
  const outside = learning.flatMap((name) =>
    ids(name).filter(({ split }) => split !== 'train' && !(split === 'validation' && name.includes('validation'))),
  )
  const labelled = ids('heldout-prompts.jsonl').filter(
    (row) => 'completion' in row || 'chosen' in row || 'expected_action' in row,
  )
  return [
    fact('no held-out row in a learning input', leaked.length === 0, `${leaked.length} of ${heldout.size} found`),
    fact(
      'learning inputs are training and validation rows',
      outside.length === 0,
      `${outside.length} other rows found`,
    ),
    fact('no label in the held-out prompts', labelled.length === 0, `${labelled.length} of ${heldout.size} labelled`),
  ]
}
