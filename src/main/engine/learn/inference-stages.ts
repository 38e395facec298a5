/** The two stages that learn nothing: free generation without labels, and scoring fixed responses with a frozen judge. */
import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'
import path from 'node:path'
import type { EncodedRow } from '../../../shared/rows.ts'
import {
  type GenerateJob,
  type GenerationRow,
  type JudgeJob,
  type JudgeRow,
  runFiles,
  type StageSummary,
} from '../../../shared/stage.ts'
import { encodeDemonstrations, encodePrompts } from '../../rows/encode.ts'
import { readRows } from '../../rows/read-rows.ts'
import { demonstrationSchema, promptRowSchema } from '../../rows/row-schemas.ts'
import { learnedSha256 } from '../checkpoint/learned-state.ts'
import { TorchRandom } from '../random/torch-random.ts'
import { peakRssBytes } from '../runtime/memory.ts'
import { generateRows } from './generate-rows.ts'
import { judgeRows } from './judge-rows.ts'
import { type Role, roleFromPeft } from './role.ts'
import { beginStage, encoderFor, limitsOf, type StageContext } from './stage-context.ts'
import { PhaseClock, type StageRun } from './stage-run.ts'

type Outcome = StageSummary & { status: 'finished' | 'interrupted' }

export async function runGenerate(job: GenerateJob, run: StageRun): Promise<Outcome> {
  const context = await beginStage(job, run)
  const limits = limitsOf({
    max_prompt_tokens: job.maxPromptTokens,
    max_new_tokens: job.maxNewTokens,
    max_context_tokens: job.maxPromptTokens + job.maxNewTokens,
  })
  const prompts = encodePrompts(encoderFor(context, job.prompts, limits), await readRows(job.prompts, promptRowSchema))
  const roles = {
    policy: job.adapter === undefined ? null : roleFromPeft(job.adapter, context.base),
    reference: job.referenceAdapter === undefined ? null : roleFromPeft(job.referenceAdapter, context.base),
    reward: job.rewardAdapter === undefined ? null : roleFromPeft(job.rewardAdapter, context.base, 'score'),
  }
  const before = hashes(roles)
  const clock = new PhaseClock()
  const random = new TorchRandom(job.seed)
  const rows = await unlessStopped(() =>
    generateRows(context, prompts, {
      policy: roles.policy,
      reference: roles.reference,
      reward: roles.reward,
      maxNewTokens: job.maxNewTokens,
      eosIds: job.eosId === undefined ? context.base.eosIds : [job.eosId],
      choice: job.greedy
        ? { kind: 'greedy' }
        : { kind: 'sample', temperature: job.temperature, uniform: () => random.uniform01() },
      clock,
      onRows: (done) => reportRows(run, 'generate', done, prompts.length),
      onReading: (reading) => reportRows(run, reading, prompts.length, prompts.length),
    }),
  )
  if (rows !== null) writeJsonl(path.join(job.runDir, runFiles.generations), rows)
  return outcome('generate', rows === null ? 'interrupted' : 'finished', context, roles, before, clock)
}

export async function runJudge(job: JudgeJob, run: StageRun): Promise<Outcome> {
  const context = await beginStage(job, run)
  const unlimited = Number.MAX_SAFE_INTEGER
  const limits = {
    promptTokens: unlimited,
    completionTokens: unlimited,
    contextTokens: context.base.config.maxPositions,
  }
  const rows: EncodedRow[] = encodeDemonstrations(
    encoderFor(context, job.rows, limits),
    await readRows(job.rows, demonstrationSchema),
  )
  const roles = { reward: roleFromPeft(job.rewardAdapter, context.base, 'score') }
  const before = hashes(roles)
  const clock = new PhaseClock()
  const scored: JudgeRow[] | null = await unlessStopped(() =>
    clock.time('judge', () =>
      judgeRows(context, roles.reward, rows, (done) => reportRows(run, 'judge', done, rows.length)),
    ),
  )
  if (scored !== null) writeJsonl(path.join(job.runDir, runFiles.scores), scored)
  return outcome('judge', scored === null ? 'interrupted' : 'finished', context, roles, before, clock)
}

async function reportRows(run: StageRun, phase: string, done: number, total: number): Promise<void> {
  run.progress(phase, done, total)
  if (await run.boundary()) throw new StopAsked()
}

/** Ends the reading of rows between two batches; no fault. */
class StopAsked extends Error {}

/** Null when a stop was asked for: rows are written all together or not at all, so the stage begins anew when resumed. */
async function unlessStopped<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof StopAsked) return null
    throw error
  }
}

function hashes(roles: Readonly<Record<string, Role | null>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(roles).flatMap(([name, role]) => (role === null ? [] : [[name, learnedSha256(role.state)]])),
  )
}

function outcome(
  stage: 'generate' | 'judge',
  status: Outcome['status'],
  context: StageContext,
  roles: Readonly<Record<string, Role | null>>,
  before: Record<string, string>,
  clock: PhaseClock,
): Outcome {
  const after = hashes(roles)
  for (const [name, hash] of Object.entries(before))
    if (after[name] !== hash) throw new Error(`${name} changed while it was only read`)
  return {
    stage,
    status,
    updates: 0,
    total: 0,
    learnedSha256: after,
    initialSha256: before,
    baseSha256: context.base.sha256(),
    trainableParameters: 0,
    seconds: clock.seconds,
    peakRssBytes: peakRssBytes(),
  }
}

/** The whole file or none of it. */
function writeJsonl(file: string, rows: readonly (GenerationRow | JudgeRow)[]): void {
  const temporary = `${file}.pending`
  const handle = openSync(temporary, 'w')
  writeSync(handle, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  fsyncSync(handle)
  closeSync(handle)
  renameSync(temporary, file)
}
