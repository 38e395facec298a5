/** What a job will take, said before it starts: time where it was measured, disk, memory, and what it cannot see. */
import { createReadStream, existsSync } from 'node:fs'
import { isGroupStage } from '../../shared/group-run.ts'
import type { Estimate, LearningRequest } from '../../shared/ipc.ts'
import type { StudyConfig } from '../../shared/training-config.ts'
import { openBase } from '../engine/checkpoint/hf-folder.ts'
import { ACTIVATION_BUDGET_BYTES, rowBytes } from '../engine/learn/micro-batch.ts'
import { stagesOf } from '../store/stages.ts'
import { continuable } from './continuable-study.ts'
import { freeBytes, loraParameters, studyBytes, trainBytes } from './disk-space.ts'
import { commandFor } from './job-command.ts'
import { type PreparedJob, prepareLearning } from './job-request.ts'
import { type Conditions, type Pace, stagePace, studyPace } from './measured-pace.ts'
import { modelFiles } from './model-folder.ts'
import { configSha256, presets } from './study-config.ts'
import { requireStudy, type Workbench } from './workbench.ts'

const float = 4
/** Node, the runtime and its libraries, before any weight is read. */
const programBytes = 250e6

/** Throws `BadInput` as the start would: for a setting, study, folder or file that is wrong. */
export async function estimateJob(bench: Workbench, request: LearningRequest): Promise<Estimate> {
  const job = prepareLearning(bench, request)
  const { model, conditions } = conditionsOf(bench, job)
  const files = Object.keys(conditions.modelFiles)
  const { seconds, basis } = await pace(bench, job, conditions)
  return {
    seconds,
    basis,
    disk_bytes:
      job.kind === 'train'
        ? trainBytes(job.config.lora_rank, model, files)
        : studyBytes(job.config, model, files, conditions.verifyResume),
    free_bytes: freeBytes(bench.home),
    memory_bytes: memoryBytes(model, job),
    notes: notes(bench, job, conditions),
    settings: job.config,
    command: commandFor(bench.home, job),
  }
}

function conditionsOf(bench: Workbench, job: PreparedJob): { model: string; conditions: Conditions } {
  if (job.kind === 'resume') {
    const { modelDir, device, threads, verifyResume, modelFiles: files } = requireStudy(bench, job.studyId)
    const model = job.request.model ?? modelDir
    return { model, conditions: { device, threads, verifyResume, modelFiles: files } }
  }
  const { model, device, threads } = job.request
  const verifyResume = job.kind === 'study' && job.request.verifyResume === true
  return { model, conditions: { device, threads, verifyResume, modelFiles: modelFiles(model) } }
}

async function pace(bench: Workbench, job: PreparedJob, conditions: Conditions): Promise<Pace> {
  const { db } = bench.store
  switch (job.kind) {
    case 'study':
      return studyPace(db, job.config, conditions)
    case 'resume':
      return studyPace(db, job.config, conditions, stagesOf(db, requireStudy(bench, job.studyId).studyId))
    case 'train':
      return stagePace(db, job.request.stage, job.asRun, conditions, await countLines(job.request.data))
  }
}

/** Lines that hold something; 0 for a file that is not there, which the start refuses. */
async function countLines(file: string): Promise<number> {
  if (!existsSync(file)) return 0
  let lines = 0
  let filled = false
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    for (const byte of chunk) {
      if (byte === 0x0a) {
        if (filled) lines += 1
        filled = false
      } else if (byte > 0x20) filled = true
    }
  }
  return lines + (filled ? 1 : 0)
}

/** Peak of the learning process: weights once, the roles' states and moments, one micro-batch and its logits. */
function memoryBytes(model: string, job: PreparedJob): number {
  const { config } = openBase(model)
  const { lora_rank: rank, max_context_tokens: context, max_new_tokens: response } = job.config
  const { hiddenSize, intermediateSize, layers, vocabSize, heads, kvHeads, tied } = config
  const attention = 2 * hiddenSize * hiddenSize + 2 * hiddenSize * (hiddenSize / heads) * kvHeads
  const parameters = layers * (attention + 3 * hiddenSize * intermediateSize) + vocabSize * hiddenSize * (tied ? 1 : 2)
  const roles = rolesOf(job)
  const learned = loraParameters(rank, model) * float * (roles + 3 * Math.min(roles, 2))
  const row = rowBytes(config, context, response)
  const wanted = 'accumulation_examples' in job.config ? job.config.accumulation_examples : 4
  const rows = Math.max(1, Math.min(wanted, Math.floor(ACTIVATION_BUDGET_BYTES / row)))
  return Math.ceil(programBytes + parameters * float + learned + rows * row)
}

/** States that are held at once: PPO's four; policy, reference and reward of a group; two for DPO; else one. */
function rolesOf(job: PreparedJob): number {
  if (job.kind !== 'train' || job.request.stage === 'ppo') return 4
  if (isGroupStage(job.request.stage)) return 3
  return job.request.stage === 'dpo' ? 2 : 1
}

function notes(bench: Workbench, job: PreparedJob, conditions: Conditions): string[] {
  if (job.kind === 'train') {
    return [
      'The learning process reads the model, these rows and the adapters named here, and nothing else of yours.',
      'Validation rows are measured after each epoch; nothing is chosen by them.',
    ]
  }
  const unseen = [
    'Learning sees training and validation rows only: held-out rows, gold labels and probes are not in its process.',
    'Budgets are fixed before the start; no state is chosen by a held-out figure.',
  ]
  if (job.kind === 'resume') return unseen
  const same = { ...conditions, configSha256: configSha256(job.config) }
  const left = continuable(bench, same, conditions.modelFiles)
  return [
    ...unseen,
    ...unusual(job.config, job.request.preset),
    ...(left === null ? [] : [`The same study stands ${left.status} as ${left.studyId}; Start goes on with it.`]),
  ]
}

/** Settings that make the outcome hard to read beside the reference study's. */
function unusual(config: StudyConfig, preset: string | undefined): string[] {
  const base = presets[preset ?? config.name] ?? presets.embedded
  const found: string[] = []
  if (config.ppo_actor_lr === 0) found.push('The actor learning rate is 0: the policy will not change.')
  if (config.kl_coefficient === 0) found.push('The KL coefficient is 0: nothing holds the policy near its reference.')
  if (base !== undefined && config.rollout_iterations < base.rollout_iterations / 4) {
    found.push(`${config.rollout_iterations} PPO iterations are few beside the preset's ${base.rollout_iterations}.`)
  }
  if (config.temperature !== 1) {
    found.push('The temperature is not 1: sampled log-probabilities are recorded at temperature 1 all the same.')
  }
  return found
}
