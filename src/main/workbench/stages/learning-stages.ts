/** Stages 2 to 4: supervised warm start, reward model, PPO. Each is given its training and validation rows only. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunId } from '../../../shared/ids.ts'
import { type DeviceName, type LearningJob, runFiles, type StageSummary } from '../../../shared/stage.ts'
import { corpusRows } from '../../engine/study/corpus-layout.ts'
import { stageAdvanced } from '../../store/stages.ts'
import { findStudy, updateStudy } from '../../store/studies.ts'
import { recordRunArtifacts, requireUnchanged } from '../artifacts-of-run.ts'
import { jsonl, parseJsonl } from '../files-on-disk.ts'
import { corpusDir, runDir, runPath, studyDir } from '../places.ts'
import { jobBase, type PreparedRun, prepareRun, type RunSpec } from '../prepare-run.ts'
import { baseFact, roleFacts } from '../role-facts.ts'
import { runStage } from '../run-stage.ts'
import { ppoConfig, supervisedConfig } from '../study-config.ts'
import { finishedRun, requireFacts, type StudyWork } from '../study-work.ts'

export type LearningStage = 'sft' | 'reward' | 'ppo'

/** How a learning stage of this study is set up; the resume check sets it up once more, for another folder. */
export interface LearningSetup {
  readonly spec: RunSpec
  readonly job: (run: PreparedRun, stopAfter?: number) => LearningJob
}

export async function learningStage(work: StudyWork, stage: LearningStage): Promise<void> {
  const { spec, job } = setUp(work, stage)
  const { db } = work.bench.store
  const { studyId } = work.study
  const root = studyDir(work.bench.home, studyId)
  requireUnchanged(
    db,
    studyId,
    root,
    spec.parents.map(({ run_id }) => run_id),
  )
  const run = prepareRun(work.bench, spec)
  const summary =
    run.finished ?? (await runStage(work, { runId: run.runId, job: job(run), shownAs: stage, ingest: true }))
  stageAdvanced(db, studyId, stage, summary.updates, summary.total)
  recordRunArtifacts(db, studyId, root, runPath(run.runId), run.runId)
  acceptSummary(work, stage, summary)
}

/** The base must be the same to every stage; after PPO the four roles must be what they should. */
function acceptSummary(work: StudyWork, stage: LearningStage, summary: StageSummary): void {
  const { db } = work.bench.store
  const recorded = findStudy(db, work.study.studyId)?.baseSha256 ?? null
  if (recorded === null) updateStudy(db, work.study.studyId, { baseSha256: summary.baseSha256 })
  requireFacts(work, [baseFact(stage, recorded ?? summary.baseSha256, summary.baseSha256)])
  if (stage !== 'ppo') return
  const sft = finishedRun(work, 'sft').summary
  const reward = finishedRun(work, 'reward').summary
  requireFacts(work, roleFacts(summary, sft?.learnedSha256.policy ?? '', reward?.learnedSha256.reward ?? ''))
}

export function setUp(work: StudyWork, stage: LearningStage, purpose = 'main'): LearningSetup {
  const { config, study } = work
  const shared = { studyId: study.studyId, purpose, preset: study.preset, ...computing(work) }
  const base = (run: PreparedRun) => jobBase(work.bench, work.modelDir, run, shared.device, shared.threads)
  const stopping = (stopAfter?: number) => (stopAfter === undefined ? {} : { stopAfter })
  if (stage === 'ppo') {
    const [sft, reward] = [finishedRun(work, 'sft'), finishedRun(work, 'reward')]
    const settings = ppoConfig(config)
    return {
      spec: {
        ...shared,
        stage,
        settings: { ...settings, shuffle: true },
        inputs: { train: corpusText(work, corpusRows.rolloutPrompts) },
        parents: [
          { role: 'policy', run_id: sft.runId },
          { role: 'reward', run_id: reward.runId },
        ],
      },
      job: (run, stopAfter) => ({
        ...base(run),
        ...stopping(stopAfter),
        stage,
        train: run.input('train'),
        initAdapter: adapterOf(work, sft.runId),
        rewardAdapter: adapterOf(work, reward.runId),
        config: settings,
        shuffle: true,
      }),
    }
  }
  const settings = supervisedConfig(config, stage)
  return {
    spec: {
      ...shared,
      stage,
      settings: { ...settings, shuffle: true },
      inputs: stage === 'sft' ? demonstrations(work) : pairs(work),
      parents: [],
    },
    job: (run, stopAfter) => ({
      ...base(run),
      ...stopping(stopAfter),
      stage,
      train: run.input('train'),
      validation: run.input('validation'),
      config: settings,
      shuffle: true,
    }),
  }
}

export const computing = ({ study }: StudyWork) => ({ device: study.device as DeviceName, threads: study.threads })

export const adapterOf = (work: StudyWork, run: RunId): string =>
  join(runDir(work.bench.home, work.study.studyId, run), runFiles.adapter)

function corpusText(work: StudyWork, name: string): string {
  return readFileSync(join(corpusDir(work.bench.home, work.study.studyId), name), 'utf8')
}

/** The warm start is validated on the preferred answers of the validation pairs. */
function demonstrations(work: StudyWork): Record<string, string> {
  const validation = parseJsonl<{ id: string; prompt: string; chosen: string }>(
    corpusText(work, corpusRows.pairsValidation),
  )
  return {
    train: corpusText(work, corpusRows.demonstrations),
    validation: jsonl(validation.map(({ id, prompt, chosen }) => ({ id, prompt, completion: chosen }))),
  }
}

function pairs(work: StudyWork): Record<string, string> {
  return { train: corpusText(work, corpusRows.pairsTrain), validation: corpusText(work, corpusRows.pairsValidation) }
}
