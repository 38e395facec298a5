/**
 * A stage process that learns nothing, for tests of everything around stages: it keeps the protocol, writes small
 * valid files, resumes byte for byte, and misbehaves as `fake.json` in the base folder tells it to.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import {
  type DeviceJob,
  type GenerateJob,
  type JudgeJob,
  type LearningJob,
  runFiles,
  type StageCommand,
  type StageEvent,
  type StageJob,
  type StageSummary,
  type TimingLine,
} from '../../shared/stage.ts'
import { auditOf, datcOf, datcStudyOf, deskOf } from './fake-audit.ts'
import { linesOf } from './fake-journal.ts'

export interface FakePlan {
  readonly delayMs?: number
  /** The stage that the delay is for; default all. */
  readonly slow?: string
  /** Misbehave in this stage, once `after` updates are done. */
  readonly stage?: string
  readonly after?: number
  readonly fault?: 'crash' | 'silent-exit' | 'bad-input' | 'out-of-memory' | 'failure' | 'not-finite' | 'moves-reward'
  /** Files to try to read; what happened is reported in the `ready` event's reason. */
  readonly probe?: readonly string[]
  /** Makes a resumed run differ from a continuous one. */
  readonly forgetful?: boolean
}

const say = (event: StageEvent) => new Promise<void>((done) => process.send?.(event, () => done()))
/** A number from 0 to 1 that depends on everything learned so far. */
const drawn = (learned: string, done: number) => Number.parseInt(sha(`${learned} ${done}`).slice(0, 8), 16) / 0xffffffff
const sha = (text: string) => createHash('sha256').update(text).digest('hex')
const readJson = <T>(file: string): T => JSON.parse(readFileSync(file, 'utf8')) as T
const jsonLines = <T>(file: string): T[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T)

let stopping = false
let paused = false
process.on('disconnect', () => process.exit(1))
process.on('message', (command: StageCommand) => {
  if (command.type === 'start') void run(command.job)
  else if (command.type === 'stop') stopping = true
  else paused = command.type === 'pause'
})

interface State {
  readonly done: number
  readonly learned: string
  readonly journalBytes: number
}

async function run(job: StageJob): Promise<void> {
  const planFile = join(job.base, 'fake.json')
  const plan = existsSync(planFile) ? readJson<FakePlan>(planFile) : {}
  await say({ type: 'ready', device: 'cpu', deviceReason: probes(plan), threads: job.threads })
  if (job.stage === 'device') await checkDevice(job, plan)
  else if (job.stage === 'generate') await generate(job, plan)
  else if (job.stage === 'judge') await judge(job, plan)
  else if (job.stage === 'credit-audit') await writeRows(job, plan, runFiles.audit, [auditOf(job)])
  else if (job.stage === 'credit-datc') await writeRows(job, plan, runFiles.datc, [datcOf(job)])
  else if (job.stage === 'credit-datc-study') await writeRows(job, plan, runFiles.datcStudy, [datcStudyOf(job)])
  else if (job.stage === 'desk') await writeRows(job, plan, runFiles.rollouts, deskOf(job))
  else await learn(job, plan)
  process.exit(0)
}

function probes(plan: FakePlan): string {
  const attempts: Record<string, () => unknown> = {
    spawn: () => spawnSync(process.execPath, ['-e', '']),
    worker: () => new Worker('', { eval: true }),
    environment: () => {
      if (process.env.RECOMPENSE_HOME === undefined) throw Object.assign(new Error(), { code: 'absent' })
    },
  }
  for (const file of plan.probe ?? []) {
    attempts[`read ${file}`] = () => readFileSync(file)
    attempts[`write ${file}`] = () => writeFileSync(file, 'overwritten')
  }
  if (plan.probe === undefined) return 'asked for'
  const outcomes = Object.entries(attempts).map(([name, attempt]) => {
    try {
      attempt()
      return [name, 'allowed']
    } catch (error) {
      return [name, (error as NodeJS.ErrnoException).code ?? 'failed']
    }
  })
  return JSON.stringify(Object.fromEntries(outcomes))
}

async function learn(job: LearningJob, plan: FakePlan): Promise<void> {
  const rows = jsonLines<{ id: string }>(job.train)
  const epochs = 'epochs' in job.config ? job.config.epochs : job.config.rollout_iterations
  const perEpoch = 'epochs' in job.config ? Math.ceil(rows.length / job.config.accumulation_examples) : 1
  const total = epochs * perEpoch
  const stop = Math.min(total, (job.stopAfter ?? epochs) * perEpoch)
  const initial = initialHashes(job)
  const stateFile = join(job.runDir, runFiles.state)
  const journal = join(job.runDir, runFiles.journal)
  let state: State = { done: 0, learned: sha(JSON.stringify([job.config, rows])), journalBytes: 0 }
  if (existsSync(stateFile)) {
    state = readJson<State>(stateFile)
    truncateSync(journal, state.journalBytes)
    if (plan.forgetful === true) state = { ...state, learned: sha('forgotten') }
  }
  while (state.done < stop && !stopping) {
    while (paused) {
      await say({ type: 'paused' })
      await sleep(20)
    }
    if (plan.stage === job.stage && state.done === (plan.after ?? 0)) await misbehave(plan, job)
    if (plan.slow === undefined || plan.slow === job.stage) await sleep(plan.delayMs ?? 0)
    const done = state.done + 1
    const lines = linesOf(
      job,
      done,
      perEpoch,
      drawn(state.learned, done),
      rows,
      plan.stage === job.stage && plan.fault === 'not-finite',
    )
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    appendFileSync(journal, text)
    state = { done, learned: sha(state.learned + text), journalBytes: state.journalBytes + Buffer.byteLength(text) }
    writeFileSync(`${stateFile}.tmp`, JSON.stringify(state))
    renameSync(`${stateFile}.tmp`, stateFile)
    appendFileSync(join(job.runDir, runFiles.timings), `${JSON.stringify(timingOf(job, done))}\n`)
    await say({ type: 'progress', phase: 'training', done, total })
    await say({ type: 'committed', done, total, journalBytes: state.journalBytes, metrics: { loss: 1 / done } })
  }
  await end(job, plan, state, total, initial)
}

/** Memory that creeps up, as a real stage's does. */
function timingOf(job: LearningJob, done: number): TimingLine {
  const each = job.stage === 'ppo' ? job.config.ppo_epochs_per_rollout : 1
  return { update: done * each, rss_bytes: 150e6 + 1e6 * done, seconds: { training: 0.01 } }
}

async function end(job: LearningJob, plan: FakePlan, state: State, total: number, initial: Hashes): Promise<void> {
  const finished = state.done === total
  const final: Hashes = {}
  for (const [role, hash] of Object.entries(initial)) {
    const frozen = job.stage === 'ppo' && (role === 'reference' || role === 'reward')
    final[role] = frozen && plan.fault !== 'moves-reward' ? hash : sha(role + state.learned)
  }
  if (finished) {
    writeAdapter(join(job.runDir, runFiles.adapter), final.policy ?? final.actor ?? final.reward ?? '')
    if (job.stage === 'ppo') writeAdapter(join(job.runDir, runFiles.critic), final.critic ?? '')
  }
  const each = job.stage === 'ppo' ? job.config.ppo_epochs_per_rollout : 1
  const summary: StageSummary = {
    ...summaryOf(job, initial, final),
    updates: state.done * each,
    total: total * each,
  }
  writeFileSync(join(job.runDir, runFiles.summary), JSON.stringify(summary))
  await say({ type: 'finished', status: finished ? 'finished' : 'interrupted', summary })
}

type Hashes = Record<string, string>

function initialHashes(job: LearningJob): Hashes {
  if (job.stage === 'sft') return { policy: sha(`policy ${job.config.seed}`) }
  if (job.stage === 'reward') return { reward: sha(`reward ${job.config.seed}`) }
  if (job.stage !== 'ppo') throw new Error(`no roles in ${job.stage}`)
  const policy = adapterHash(job.initAdapter)
  return { actor: policy, reference: policy, reward: adapterHash(job.rewardAdapter), critic: sha(`critic ${policy}`) }
}

function summaryOf(job: StageJob, initialSha256: Hashes, learnedSha256: Hashes): StageSummary {
  return {
    stage: job.stage,
    updates: 0,
    total: 0,
    learnedSha256,
    initialSha256,
    baseSha256: sha(readFileSync(join(job.base, 'config.json'), 'utf8')),
    trainableParameters: 10,
    seconds: { training: 0.01 },
    peakRssBytes: process.memoryUsage().rss,
  }
}

function writeAdapter(dir: string, hash: string): void {
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'adapter_config.json'), JSON.stringify({ peft_type: 'LORA', r: 8, lora_alpha: 16 }))
  writeFileSync(join(dir, 'adapter_model.safetensors'), hash)
}

const adapterHash = (dir: string) => readFileSync(join(dir, 'adapter_model.safetensors'), 'utf8')

async function generate(job: GenerateJob, plan: FakePlan): Promise<void> {
  const rows = jsonLines<{ id: string; prompt: string }>(job.prompts)
  const policy = job.adapter === undefined ? 'base' : adapterHash(job.adapter)
  const out = rows.map(({ id, prompt }) => {
    const draw = Number.parseInt(sha(policy + prompt).slice(0, 6), 16) / 0xffffff
    const text = `fake answer ${sha(policy + prompt).slice(0, 4)}`
    return {
      id,
      token_ids: [7, 8, 9],
      text,
      finish_reason: 'eos',
      tokenization_valid: true,
      logprobs: [-draw, -0.1, -0.1],
      reference_logprobs: [-draw, -0.2, -0.1],
      learned_reward_score: draw,
    }
  })
  await writeRows(job, plan, runFiles.generations, out)
}

async function checkDevice(job: DeviceJob, plan: FakePlan): Promise<void> {
  if (plan.stage === job.stage) await misbehave(plan, job)
  await say({ type: 'finished', status: 'finished', summary: summaryOf(job, {}, {}) })
}

async function judge(job: JudgeJob, plan: FakePlan): Promise<void> {
  const rows = jsonLines<{ id: string; prompt: string; completion: string }>(job.rows)
  const out = rows.map(({ id, prompt, completion }) => ({
    id,
    reward: Number.parseInt(sha(prompt + completion).slice(0, 6), 16) / 0xffffff,
    tokens: completion.length,
  }))
  await writeRows(job, plan, runFiles.scores, out)
}

async function writeRows(job: StageJob, plan: FakePlan, name: string, rows: readonly unknown[]): Promise<void> {
  if (plan.stage === job.stage) await misbehave(plan, job)
  const half = Math.floor(rows.length / 2)
  await say({ type: 'progress', phase: job.stage, done: half, total: rows.length })
  if (plan.slow === job.stage) await sleep(plan.delayMs ?? 0)
  if (stopping) {
    await say({ type: 'finished', status: 'interrupted', summary: summaryOf(job, {}, {}) })
    return
  }
  await say({ type: 'progress', phase: job.stage, done: rows.length, total: rows.length })
  writeFileSync(join(job.runDir, name), rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  const summary = summaryOf(job, {}, {})
  writeFileSync(join(job.runDir, runFiles.summary), JSON.stringify(summary))
  await say({ type: 'finished', status: 'finished', summary: { ...summary, total: rows.length } })
}

async function misbehave(plan: FakePlan, job: StageJob): Promise<void> {
  switch (plan.fault) {
    case 'crash':
      process.stderr.write('RangeError: everything is wrong\n    at nowhere\n')
      process.kill(process.pid, 'SIGSEGV')
      await sleep(10_000)
      return
    case 'silent-exit':
      return process.exit(0)
    case 'bad-input':
      await say({
        type: 'failed',
        kind: 'bad-input',
        message: 'train.jsonl: prompt is too long (row r7)',
        subject: 'train' in job ? job.train : 'rows',
        problem: 'prompt is too long',
        where: 'row r7',
      })
      return process.exit(2)
    case 'out-of-memory':
    case 'failure':
      await say({ type: 'failed', kind: plan.fault, message: `${job.stage}: no ${plan.fault} today` })
      return process.exit(1)
    default:
  }
}
