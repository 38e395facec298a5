/** Builds the study document: everything that can be said of one study, read from the store. */

import { resolve } from 'node:path'
import type { StudyId } from '../../shared/ids.ts'
import type { StudyDocument } from '../../shared/study-document.ts'
import type { StudyResults } from '../../shared/study-results.ts'
import { corpusManifest } from '../engine/study/corpus-files.ts'
import { artifactsOf } from '../store/artifacts.ts'
import { branchesOf } from '../store/evaluations.ts'
import { factsOf, provenanceOf, resumeChecksOf } from '../store/facts.ts'
import type { Db } from '../store/open-store.ts'
import { probesOf } from '../store/probes.ts'
import { rewardTestOf } from '../store/reward-pairs.ts'
import { iterationsOf } from '../store/rollouts.ts'
import { type RunRow, runFor, runsOfStudy } from '../store/runs.ts'
import { stagesOf } from '../store/stages.ts'
import type { StudyRow } from '../store/studies.ts'
import { readSummary } from '../store/summaries.ts'
import { ppoUpdatesOf, updatesOf, validationsOf } from '../store/updates.ts'
import { studyCredit } from './credit/study-credit.ts'
import { limitsOf } from './limits.ts'
import { studyDir } from './places.ts'
import { runRecord } from './run-record.ts'
import { requireStudy, type Workbench } from './workbench.ts'

/** Throws `BadInput` when there is no such study. */
export function showStudy(bench: Workbench, id: string): StudyDocument {
  const study = requireStudy(bench, id)
  const { db } = bench.store
  const { studyId } = study
  const [sft, reward, ppo] = (['sft', 'reward', 'ppo'] as const).map((stage) => runFor(db, studyId, stage, 'main'))
  const credit = ppo ? studyCredit(bench, ppo) : undefined
  return {
    format: 'recompense-study-document',
    version: 1,
    study_id: studyId,
    name: study.name,
    preset: study.preset,
    status: study.status,
    seed: study.seed,
    created_at: study.createdAt,
    finished_at: study.finishedAt,
    error: study.error === null ? null : { stage: study.errorStage, message: study.error },
    config: study.config,
    config_sha256: study.configSha256,
    code_version: study.codeVersion,
    model: { folder: study.modelDir, base_sha256: study.baseSha256, files: study.modelFiles },
    device: sft?.device ?? study.device,
    device_reason: sft?.deviceReason ?? null,
    threads: study.threads,
    stages: stagesOf(db, studyId),
    runs: runsOfStudy(db, studyId).map(runRecord),
    curves: {
      sft: sft ? updatesOf(db, sft.runId) : [],
      reward: reward ? updatesOf(db, reward.runId) : [],
      ppo: ppo ? ppoUpdatesOf(db, ppo.runId) : [],
      sft_validation: sft ? validationsOf(db, sft.runId) : [],
      reward_validation: reward ? validationsOf(db, reward.runId) : [],
    },
    iterations: ppo ? iterationsOf(db, ppo.runId) : [],
    results: resultsOf(db, studyId),
    ...(credit === undefined ? {} : { credit }),
    initial_learned_sha256: byRole(sft, reward, ppo, 'initialSha256'),
    final_learned_sha256: byRole(sft, reward, ppo, 'learnedSha256'),
    corpus: corpusOf(db, study),
    integrity: factsOf(db, studyId),
    resume_checks: resumeChecksOf(db, studyId),
    provenance: provenanceOf(db, studyId),
    artifacts: artifactsOf(db, studyId),
    limits: limitsOf(study.preset),
    report_files: study.reportFiles.map((file) => resolve(studyDir(bench.home, studyId), file)),
  }
}

/** Null until evaluation and probes are both through. */
function resultsOf(db: Db, studyId: StudyId): StudyResults | null {
  const [actor, rewardTest, probes] = [branchesOf(db, studyId), rewardTestOf(db, studyId), probesOf(db, studyId)]
  if (actor === null || rewardTest === null || probes === null) return null
  return { actor, reward_test: rewardTest, probes, scope: readSummary<string>(db, studyId, 'scope') ?? '' }
}

type Hashes = 'initialSha256' | 'learnedSha256'

/** PPO's reward role is the reward model once more and keeps a name of its own. */
function byRole(
  sft: RunRow | null | undefined,
  reward: RunRow | null | undefined,
  ppo: RunRow | null | undefined,
  which: Hashes,
): Record<string, string> {
  const roles: Record<string, string> = {}
  Object.assign(roles, sft?.summary?.[which], reward?.summary?.[which])
  for (const [role, hash] of Object.entries(ppo?.summary?.[which] ?? {})) {
    roles[role === 'reward' ? 'ppo_reward' : role] = hash
  }
  return roles
}

function corpusOf(db: Db, study: StudyRow): StudyDocument['corpus'] {
  if (study.corpusAudit === null || study.corpusManifestSha256 === null) return null
  const files = artifactsOf(db, study.studyId)
    .filter(({ kind, path }) => kind === 'corpus' && path !== `corpus/${corpusManifest}`)
    .map(({ path, sha256 }) => [path.slice('corpus/'.length), sha256] as const)
  return { audit: study.corpusAudit, manifest_sha256: study.corpusManifestSha256, files: Object.fromEntries(files) }
}
