/**
 * Stage 5: each policy answers the held-out prompts without seeing a label; here, outside any stage process, the
 * answers meet the gold labels. The reward model is tested on the held-out pairs beside that.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunId } from '../../../shared/ids.ts'
import { type GenerateJob, type GenerationRow, type JudgeRow, runFiles } from '../../../shared/stage.ts'
import { type BranchName, branchNames } from '../../../shared/study-results.ts'
import { corpusRows } from '../../engine/study/corpus-layout.ts'
import { evaluateBranch } from '../../engine/study/evaluate.ts'
import { rewardTest, rewardTestCandidates } from '../../engine/study/reward-test.ts'
import { recordArtifacts } from '../../store/artifacts.ts'
import { branchesOf, saveBranch } from '../../store/evaluations.ts'
import { canonicalJson } from '../../store/json.ts'
import { rewardTestOf, saveRewardTest } from '../../store/reward-pairs.ts'
import { writeSummary } from '../../store/summaries.ts'
import { artifactAt, recordRunArtifacts, requireUnchanged } from '../artifacts-of-run.ts'
import { jsonl, parseJsonl, writeWhole } from '../files-on-disk.ts'
import { scopeText } from '../limits.ts'
import { endOfTurnId } from '../model-folder.ts'
import { corpusDir, runPath, studyDir } from '../places.ts'
import { jobBase, prepareRun } from '../prepare-run.ts'
import { baseFact } from '../role-facts.ts'
import { runStage } from '../run-stage.ts'
import { generationSeed } from '../study-config.ts'
import { corpusOf, fact, finishedRun, requireFacts, type StudyWork } from '../study-work.ts'
import { adapterOf, computing } from './learning-stages.ts'

/** The file that holds the stage's outcome, relative to the study; the probes must leave it alone. */
export const evaluationFile = 'results/evaluation.json'

export async function evaluationStage(work: StudyWork): Promise<void> {
  const { db } = work.bench.store
  const { studyId } = work.study
  const root = studyDir(work.bench.home, studyId)
  const parents = (['sft', 'reward', 'ppo'] as const).map((stage) => finishedRun(work, stage).runId)
  requireUnchanged(db, studyId, root, parents)
  for (const branch of branchNames) await evaluateOne(work, branch)
  await testReward(work)
  writeSummary(db, studyId, 'scope', scopeText)
  const outcome = { actor: branchesOf(db, studyId), reward_test: rewardTestOf(db, studyId), scope: scopeText }
  writeWhole(join(root, evaluationFile), `${canonicalJson(outcome)}\n`)
  recordArtifacts(db, studyId, [artifactAt(root, evaluationFile, 'results', null)])
}

async function evaluateOne(work: StudyWork, branch: BranchName): Promise<void> {
  const { bench, study, config } = work
  const { db } = bench.store
  const [sft, reward] = [finishedRun(work, 'sft').runId, finishedRun(work, 'reward').runId]
  const policy = branch === 'base' ? null : finishedRun(work, branch)
  const eosId = endOfTurnId(work.modelDir)
  const settings = {
    greedy: true,
    temperature: 1,
    maxNewTokens: config.max_new_tokens,
    maxPromptTokens: config.max_prompt_tokens,
    seed: generationSeed(config),
    ...(eosId === undefined ? {} : { eosId }),
  }
  const run = prepareRun(bench, {
    studyId: study.studyId,
    stage: 'generate',
    purpose: branch,
    preset: study.preset,
    ...computing(work),
    settings,
    inputs: { prompts: heldoutPrompts(work) },
    parents: [
      ...(policy === null ? [] : [{ role: 'policy', run_id: policy.runId }]),
      { role: 'reference', run_id: sft },
      { role: 'reward', run_id: reward },
    ],
  })
  const job: GenerateJob = {
    ...jobBase(bench, work.modelDir, run, computing(work).device, computing(work).threads),
    ...settings,
    stage: 'generate',
    prompts: run.input('prompts'),
    ...(policy === null ? {} : { adapter: adapterOf(work, policy.runId) }),
    referenceAdapter: adapterOf(work, sft),
    rewardAdapter: adapterOf(work, reward),
  }
  const summary =
    run.finished ?? (await runStage(work, { runId: run.runId, job, shownAs: 'evaluation', ingest: false }))
  recordRunArtifacts(db, study.studyId, studyDir(bench.home, study.studyId), runPath(run.runId), run.runId)
  requireFacts(work, [baseFact(`generation, ${branch}`, requireBase(work), summary.baseSha256)])
  const generations = parseJsonl<GenerationRow>(readFileSync(join(run.dir, runFiles.generations), 'utf8'))
  const result = evaluateBranch(corpusOf(work), generations)
  saveBranch(db, study.studyId, branch, run.runId, { ...result, actor_sha256: policyHash(work, branch) })
  requireFacts(work, [
    fact(
      `repeated greedy probes identical (${branch})`,
      result.repeated_probe_contexts_verified,
      'rows of one prompt have equal tokens, log-probabilities and scores',
    ),
  ])
}

/** Only an id and a prompt a row: no family, no split, nothing to guess a label from. */
function heldoutPrompts(work: StudyWork): string {
  const file = join(corpusDir(work.bench.home, work.study.studyId), corpusRows.heldoutPrompts)
  const rows = parseJsonl<{ id: string; prompt: string }>(readFileSync(file, 'utf8'))
  return jsonl(rows.map(({ id, prompt }) => ({ id, prompt })))
}

const requireBase = (work: StudyWork): string => finishedRun(work, 'sft').baseSha256 ?? ''

function policyHash(work: StudyWork, branch: BranchName): string {
  if (branch === 'base') return requireBase(work)
  const role = branch === 'sft' ? 'policy' : 'actor'
  return finishedRun(work, branch).summary?.learnedSha256[role] ?? ''
}

async function testReward(work: StudyWork): Promise<void> {
  const scores = await judge(work, 'reward-test', jsonl(rewardTestCandidates(corpusOf(work))))
  saveRewardTest(work.bench.store.db, work.study.studyId, rewardTest(corpusOf(work), scores.rows))
}

/** Has the frozen reward model score fixed rows. */
export async function judge(
  work: StudyWork,
  purpose: 'reward-test' | 'probes',
  rows: string,
): Promise<{ readonly rows: readonly JudgeRow[]; readonly runId: RunId }> {
  const { bench, study } = work
  const { db } = bench.store
  const reward = finishedRun(work, 'reward')
  const run = prepareRun(bench, {
    studyId: study.studyId,
    stage: 'judge',
    purpose,
    preset: study.preset,
    ...computing(work),
    settings: {},
    inputs: { rows },
    parents: [{ role: 'reward', run_id: reward.runId }],
  })
  const job = {
    ...jobBase(bench, work.modelDir, run, computing(work).device, computing(work).threads),
    stage: 'judge' as const,
    rows: run.input('rows'),
    rewardAdapter: adapterOf(work, reward.runId),
  }
  const shownAs = purpose === 'probes' ? 'probes' : 'evaluation'
  const summary = run.finished ?? (await runStage(work, { runId: run.runId, job, shownAs, ingest: false }))
  recordRunArtifacts(db, study.studyId, studyDir(bench.home, study.studyId), runPath(run.runId), run.runId)
  requireFacts(work, [baseFact(`judge, ${purpose}`, requireBase(work), summary.baseSha256)])
  return { rows: parseJsonl<JudgeRow>(readFileSync(join(run.dir, runFiles.scores), 'utf8')), runId: run.runId }
}
