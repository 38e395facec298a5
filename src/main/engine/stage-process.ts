/**
 * Entry of the stage process: one learning or reading stage, then exit. It owns onnxruntime, has no database handle and
 * is started with access to its own inputs only. It ends when its parent goes away.
 */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { BadInput } from '../../shared/bad-input.ts'
import { runFiles, type StageEvent, type StageJob, type StageSummary } from '../../shared/stage.ts'
import { errorCode } from './checkpoint/input-file.ts'
import { StageRun } from './learn/stage-run.ts'
import { parentChannel } from './parent-channel.ts'

type Outcome = StageSummary & { status: 'finished' | 'interrupted' }

async function work(job: StageJob, run: StageRun): Promise<Outcome> {
  switch (job.stage) {
    case 'sft':
    case 'reward':
    case 'dpo':
      return (await import('./learn/supervised.ts')).runSupervised(job, run)
    case 'ppo':
      return (await import('./learn/ppo.ts')).runPpo(job, run)
    case 'grpo':
    case 'datc':
    case 'rloo':
    case 'red':
    case 'p2t':
    case 'comppo':
    case 'turn-ppo':
      return (await import('./learn/group-stage.ts')).runGroup(job, run)
    case 'generate':
      return (await import('./learn/inference-stages.ts')).runGenerate(job, run)
    case 'judge':
      return (await import('./learn/inference-stages.ts')).runJudge(job, run)
    case 'credit-audit':
      return (await import('./credit/geometry/audit-stage.ts')).runCreditAudit(job, run)
    case 'credit-datc':
      return (await import('./credit/datc/datc-stage.ts')).runCreditDatc(job, run)
    case 'credit-datc-study':
      return (await import('./credit/datc/study-stage.ts')).runCreditDatcStudy(job, run)
    case 'desk':
      return (await import('./desk/desk-stage.ts')).runDesk(job, run)
    case 'device':
      return (await import('./learn/device-stage.ts')).runDeviceCheck(job, run)
  }
}

function failure(error: unknown): StageEvent {
  if (error instanceof BadInput) {
    const { message, subject, problem, where } = error
    return { type: 'failed', kind: 'bad-input', message, subject, problem, ...(where !== undefined && { where }) }
  }
  const message = error instanceof Error ? error.message : String(error)
  return { type: 'failed', kind: kindOf(error), message }
}

function kindOf(error: unknown): 'out-of-memory' | 'full-disk' | 'failure' {
  if (!(error instanceof Error)) return 'failure'
  if (error.name === 'OutOfMemory') return 'out-of-memory'
  const codes = [errorCode(error), errorCode(error.cause)]
  return codes.includes('ENOSPC') || codes.includes('EDQUOT') ? 'full-disk' : 'failure'
}

const { send, onCommand, onLost } = parentChannel()
const run = new StageRun((event) => send(event))
let started = false

onLost(() => process.exit(1))
onCommand((command) => {
  if (command.type === 'stop') run.stop()
  else if (command.type === 'pause') run.pause()
  else if (command.type === 'resume') run.resume()
  else if (!started) {
    started = true
    void perform(command.job)
  }
})

async function perform(job: StageJob): Promise<void> {
  try {
    const { status, ...summary } = await work(job, run)
    writeFileSync(path.join(job.runDir, runFiles.summary), `${JSON.stringify({ status, ...summary }, null, 2)}\n`)
    send({ type: 'finished', status, summary }, () => process.exit(0))
  } catch (error) {
    send(failure(error), () => process.exit(1))
  }
}
