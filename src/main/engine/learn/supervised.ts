/**
 * The supervised stages: SFT on demonstrations, Bradley–Terry and direct preferences on pairs. One optimizer step takes
 * `accumulation_examples` examples; every step is committed, so a killed run loses at most the step it was in.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { BadInput } from '../../../shared/bad-input.ts'
import {
  runFiles,
  type StageSummary,
  type SupervisedJob,
  type UpdateLine,
  type ValidationLine,
} from '../../../shared/stage.ts'
import { encodeDemonstrations, encodePairs } from '../../rows/encode.ts'
import { encodeTrajectories } from '../../rows/encode-trajectories.ts'
import { readJsonl } from '../../rows/jsonl.ts'
import { readRows } from '../../rows/read-rows.ts'
import { readTrajectories } from '../../rows/read-trajectories.ts'
import { demonstrationSchema, pairSchema } from '../../rows/row-schemas.ts'
import { learnedSha256 } from '../checkpoint/learned-state.ts'
import { learningRate } from '../optim/schedule.ts'
import { TorchRandom } from '../random/torch-random.ts'
import { peakRssBytes } from '../runtime/memory.ts'
import { atUpdate, Learner, restore } from './learner.ts'
import { dpoTask, pairTask } from './pair-tasks.ts'
import { freshRole, type Role, roleFromPeft, saveRole } from './role.ts'
import { RunRecord, type RunState, sha256 } from './run-record.ts'
import { beginStage, encoderFor, limitsOf, type StageContext } from './stage-context.ts'
import { PhaseClock, type StageRun, secondsSince } from './stage-run.ts'
import { type Example, type SupervisedTask, sftTask } from './supervised-tasks.ts'

/** The data order's generator starts this far from the study's seed (149 for seed 49); the reward role 1 (50). */
const ORDER_SEED_OFFSET = 100
const REWARD_SEED_OFFSET = 1

interface Progress {
  readonly updates: number
  /** Examples of the current epoch already used. */
  readonly cursor: number
  readonly epoch: number
  readonly next_learning_rate: number | null
  readonly adam_step: number
}

export async function runSupervised(
  job: SupervisedJob,
  run: StageRun,
): Promise<StageSummary & { status: 'finished' | 'interrupted' }> {
  const context = await beginStage(job, run)
  const { config } = job
  const role = initialRole(job, context)
  const [train, validation] = [
    await readExamples(job, context, job.train),
    job.validation === undefined ? [] : await readExamples(job, context, job.validation),
  ]
  const task = await taskOf(job, context, role, [...train, ...validation])
  const perEpoch = Math.ceil(train.length / config.accumulation_examples)
  const total = perEpoch * config.epochs
  const initial = learnedSha256(role.state)
  const record = new RunRecord<Progress>(job.runDir, {
    stage: job.stage,
    config: sha256(JSON.stringify(config)),
    shuffle: job.shuffle,
    initial_learned: initial,
    base: context.base.sha256(),
    train_data: sha256(readFileSync(job.train)),
    validation_data: job.validation === undefined ? 'none' : sha256(readFileSync(job.validation)),
    device: context.device.name,
    threads: context.device.threads,
  })

  const learner = new Learner(role)
  const sampler = new TorchRandom(config.seed + ORDER_SEED_OFFSET)
  let order: number[] = []
  let [updates, epoch, cursor] = [0, 0, 0]
  if (record.resumed !== null) {
    const { progress, tensors } = record.resumed
    ;({ updates, epoch, cursor } = progress)
    restore(learner, tensors, progress.adam_step)
    sampler.setState({ words: tensors.sampler as Uint32Array, nextNormal: null })
    order = Array.from(tensors.order as Uint32Array)
  }

  const clock = new PhaseClock()
  const rate = (step: number) =>
    learningRate(step, total, config.learning_rate, {
      warmupRatio: config.warmup_ratio,
      minimumLrRatio: config.minimum_lr_ratio,
    })
  const state = (): RunState<Progress> => ({
    progress: {
      updates,
      epoch,
      cursor,
      next_learning_rate: updates < total ? rate(updates) : null,
      adam_step: learner.adam.step,
    },
    tensors: {
      learned: role.state.data,
      adam_m: learner.adam.m,
      adam_v: learner.adam.v,
      sampler: sampler.state().words,
      order: Uint32Array.from(order),
    },
  })
  const stopAt = Math.min(job.stopAfter ?? config.epochs, config.epochs) * perEpoch
  run.progress('train', updates, total)
  while (updates < stopAt && !(await run.boundary())) {
    if (cursor === 0) order = job.shuffle ? sampler.randperm(train.length) : train.map((_, i) => i)
    const examples = order.slice(cursor, cursor + config.accumulation_examples).map((i) => train[i]!)
    const before = { ...clock.seconds }
    const lr = rate(updates)
    const line = await clock.time('train', () =>
      update(task, learner, examples, { epoch: epoch + 1, update: updates + 1, lr, config }),
    )
    const lines: (UpdateLine | ValidationLine)[] = [line]
    updates++
    cursor += examples.length
    if (cursor === train.length) {
      cursor = 0
      epoch++
      if (validation.length > 0)
        lines.push(await clock.time('validation', () => task.validate(role, validation, epoch)))
    }
    const journalBytes = record.commit(lines, state(), secondsSince(before, clock.seconds))
    run.report({ type: 'committed', done: updates, total, journalBytes, metrics: metricsOf(lines) })
  }
  record.close()

  const finished = updates === total
  const final = learnedSha256(role.state)
  if (finished) {
    if (final === initial && config.learning_rate > 0) throw new Error('training changed no learned parameter')
    saveRole(path.join(job.runDir, runFiles.adapter), role)
  }
  const name = job.stage === 'reward' ? 'reward' : 'policy'
  return {
    stage: job.stage,
    status: finished ? 'finished' : 'interrupted',
    updates,
    total,
    learnedSha256: { [name]: final },
    initialSha256: { [name]: initial },
    baseSha256: context.base.sha256(),
    trainableParameters: role.state.data.length,
    seconds: clock.seconds,
    peakRssBytes: peakRssBytes(),
  }
}

/** One optimizer step over `examples`, in micro-batches whose gradients add up. */
async function update(
  task: SupervisedTask,
  learner: Learner,
  examples: readonly Example[],
  { epoch, update, lr, config }: { epoch: number; update: number; lr: number; config: SupervisedJob['config'] },
): Promise<UpdateLine> {
  try {
    learner.clear()
    const { loss, denominator, rows } = await task.accumulate(learner, examples)
    const norm = learner.step({ learningRate: lr, weightDecay: config.weight_decay, maxNorm: config.gradient_clip })
    return {
      kind: 'update',
      epoch,
      update,
      learning_rate: lr,
      denominator,
      denominator_kind: task.denominatorKind,
      loss,
      grad_norm: norm,
      rows,
    }
  } catch (error) {
    throw atUpdate(error, update)
  }
}

async function taskOf(
  { stage, config }: SupervisedJob,
  context: StageContext,
  initial: Role,
  examples: readonly Example[],
): Promise<SupervisedTask> {
  const perStep = config.accumulation_examples
  if (stage === 'sft') return sftTask(context, examples, perStep)
  if (stage === 'reward') return pairTask(context, examples, perStep)
  if (!('beta' in config)) throw new BadInput('beta', 'is missing from the settings')
  // The role is about to learn; what it says before that is the frozen reference.
  return dpoTask(context, examples, perStep, { reference: initial, beta: config.beta })
}

function initialRole(job: SupervisedJob, { base }: StageContext): Role {
  const { config } = job
  const head = job.stage === 'reward' ? 'score' : 'none'
  if (job.initAdapter === undefined)
    return freshRole(base, {
      rank: config.lora_rank,
      alpha: config.lora_alpha,
      head,
      seed: config.seed + (head === 'score' ? REWARD_SEED_OFFSET : 0),
    })
  const role = roleFromPeft(job.initAdapter, base, head === 'score' ? 'score' : undefined)
  if (role.head !== head)
    throw new BadInput(
      job.initAdapter,
      `has a ${role.head} head; ${job.stage} starts from an adapter ${head === 'none' ? 'without a head' : 'with a score head'}`,
    )
  return role
}

/**
 * SFT learns from demonstrations, single responses or trajectories of several turns, and validates on them or on the chosen
 * responses of pairs, as the study does; a file of pairs to learn from is a mistake, and refused like any row without a
 * completion. The other stages take pairs only.
 */
async function readExamples(job: SupervisedJob, context: StageContext, file: string): Promise<Example[]> {
  const encoder = encoderFor(context, file, limitsOf(job.config))
  if (job.stage !== 'sft') return encodePairs(encoder, await readRows(file, pairSchema))
  const fields = await fieldsOfFirstRow(file)
  if (fields.has('turns'))
    return encodeTrajectories({ ...encoder, tokenizer: context.tokenizer }, await readTrajectories(file))
  const pairs = fields.has('chosen') || fields.has('chosen_ids')
  if (pairs && file === job.validation && file !== job.train)
    return encodePairs(encoder, await readRows(file, pairSchema))
  return encodeDemonstrations(encoder, await readRows(file, demonstrationSchema))
}

async function fieldsOfFirstRow(file: string): Promise<Set<string>> {
  for await (const { value } of readJsonl(file)) return new Set(Object.keys(value))
  return new Set()
}

function metricsOf(lines: readonly (UpdateLine | ValidationLine)[]): Record<string, number> {
  const metrics: Record<string, number> = {}
  for (const line of lines) {
    if (line.kind === 'update')
      Object.assign(metrics, { loss: line.loss, grad_norm: line.grad_norm, learning_rate: line.learning_rate })
    else
      Object.assign(metrics, {
        validation_loss: line.loss,
        ...(line.accuracy !== undefined && { validation_accuracy: line.accuracy }),
      })
  }
  return metrics
}
