/**
 * Proof that stopping and going on changes nothing: the stage is run once more in a folder of its own, interrupted,
 * finished by another process, and compared byte for byte with the run that was never interrupted.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { runFiles } from '../../shared/stage.ts'
import type { ResumeCheck } from '../../shared/study-document.ts'
import type { StudyConfig } from '../../shared/training-config.ts'
import { recordResumeCheck, resumeChecksOf } from '../store/facts.ts'
import { deleteRun, runFor } from '../store/runs.ts'
import { recordRunArtifacts } from './artifacts-of-run.ts'
import { fileSha256 } from './files-on-disk.ts'
import { runDir, runPath, studyDir } from './places.ts'
import { prepareRun } from './prepare-run.ts'
import { runStage } from './run-stage.ts'
import { IntegrityViolation } from './stage-ends.ts'
import { type LearningStage, setUp } from './stages/learning-stages.ts'
import { finishedRun, type StudyWork } from './study-work.ts'

const purpose = 'resume-check'

/** Epochs (PPO: iterations) to interrupt after; null where there is no boundary inside the stage. */
export function interruptionPoint(config: StudyConfig, stage: LearningStage): number | null {
  if (stage !== 'ppo') return (stage === 'sft' ? config.sft_epochs : config.reward_epochs) > 1 ? 1 : null
  const { interrupt_iteration, rollout_iterations } = config
  const point = interrupt_iteration < rollout_iterations ? interrupt_iteration : Math.floor(rollout_iterations / 2)
  return point >= 1 ? point : null
}

/** Records the verdict. Throws `IntegrityViolation` when the two runs differ. */
export async function checkResume(work: StudyWork, stage: LearningStage): Promise<void> {
  const { bench, study } = work
  const { db } = bench.store
  const stopAfter = interruptionPoint(work.config, stage)
  if (stopAfter === null) return
  const known = resumeChecksOf(db, study.studyId).find((check) => check.stage === stage)
  const check = known ?? (await interruptAndResume(work, stage, stopAfter))
  if (check.status === 'failed') {
    const parts = [check.state_equal ? null : runFiles.state, check.journal_equal ? null : runFiles.journal]
    throw new IntegrityViolation(
      `resumed ${stage} equals continuous ${stage}`,
      `${parts.filter((part) => part !== null).join(' and ')} differ after an interruption at ${stopAfter}`,
    )
  }
}

async function interruptAndResume(work: StudyWork, stage: LearningStage, stopAfter: number): Promise<ResumeCheck> {
  const { bench, study } = work
  const { db } = bench.store
  const left = runFor(db, study.studyId, stage, purpose)
  if (left !== null) {
    // A check that was itself cut off proves nothing; it begins anew.
    rmSync(runDir(bench.home, study.studyId, left.runId), { recursive: true, force: true })
    deleteRun(db, left.runId)
  }
  const { spec, job } = setUp(work, stage, purpose)
  const run = prepareRun(bench, spec)
  const request = { runId: run.runId, shownAs: stage, ingest: false, phasePrefix: 'resume check: ' }
  await runStage(work, { ...request, job: job(run, stopAfter), stopsEarly: true })
  await runStage(work, { ...request, job: job(run) })
  recordRunArtifacts(db, study.studyId, studyDir(bench.home, study.studyId), runPath(run.runId), run.runId)
  const continuous = runDir(bench.home, study.studyId, finishedRun(work, stage).runId)
  const check = compare(stage, stopAfter, continuous, run.dir)
  recordResumeCheck(db, study.studyId, check)
  return check
}

function compare(stage: LearningStage, stopAfter: number, continuous: string, resumed: string): ResumeCheck {
  const hash = (dir: string, name: string) => fileSha256(join(dir, name))
  const [state, stateAgain] = [hash(continuous, runFiles.state), hash(resumed, runFiles.state)]
  const [journal, journalAgain] = [hash(continuous, runFiles.journal), hash(resumed, runFiles.journal)]
  return {
    stage,
    interrupted_after: stopAfter,
    unit: stage === 'ppo' ? 'iterations' : 'epochs',
    status: state === stateAgain && journal === journalAgain ? 'ok' : 'failed',
    state_equal: state === stateAgain,
    journal_equal: journal === journalAgain,
    continuous_state_sha256: state,
    resumed_state_sha256: stateAgain,
    journal_sha256: journal,
    resumed_journal_sha256: journalAgain,
  }
}
