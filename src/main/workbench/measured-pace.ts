/**
 * How long work like this took before, on this machine, with the same model, device and number of threads, scaled to the
 * number of rows, epochs and iterations asked for. Where nothing of the kind was measured there is no figure.
 */
import { cpus } from 'node:os'
import type { LearningJob } from '../../shared/stage.ts'
import type { StageName, StageRecord } from '../../shared/study-document.ts'
import type { StudyConfig } from '../../shared/training-config.ts'
import { provenanceOf } from '../store/facts.ts'
import { canonicalJson } from '../store/json.ts'
import type { Db } from '../store/open-store.ts'
import { type RunRow, runsWithoutStudy } from '../store/runs.ts'
import { stagesOf } from '../store/stages.ts'
import { allStudies, type StudyRow } from '../store/studies.ts'

export interface Pace {
  readonly seconds: number | null
  /** What the seconds are taken from, in words. */
  readonly basis: string
}

export interface Conditions {
  readonly modelFiles: Readonly<Record<string, string>>
  readonly device: string
  readonly threads: number
  readonly verifyResume: boolean
}

const nothing: Pace = { seconds: null, basis: 'nothing comparable was measured on this machine yet' }

/** What may differ between two studies whose times are still comparable after scaling; all else must be equal. */
const free: ReadonlySet<string> = new Set([
  ...['name', 'seed', 'interrupt_iteration', 'sft_epochs', 'reward_epochs', 'rollout_iterations'],
  ...['sft_learning_rate', 'reward_learning_rate', 'ppo_actor_lr', 'ppo_critic_lr', 'warmup_ratio'],
  ...['minimum_lr_ratio', 'weight_decay', 'gradient_clip', 'clip_epsilon', 'kl_coefficient', 'gamma', 'gae_lambda'],
  ...['value_loss_coef', 'truncation_penalty', 'lora_alpha'],
])

/** For a whole study, or for what is left of one. */
export function studyPace(db: Db, config: StudyConfig, conditions: Conditions, left?: readonly StageRecord[]): Pace {
  const measured = allStudies(db).find((study) => isComparable(db, study, config, conditions) && isWhole(db, study))
  if (measured === undefined) return nothing
  const stages = stagesOf(db, measured.studyId)
  const shares = new Map((left ?? []).map(({ name, status, updates, total }) => [name, share(status, updates, total)]))
  const seconds = stages.reduce(
    (sum, { name, seconds: spent }) => sum + spent * scale(name, config, measured.config) * (shares.get(name) ?? 1),
    0,
  )
  const what = `${measured.studyId} on this machine: same model, ${measured.device} device, ${threadsOf(measured)}`
  return { seconds, basis: `measured in ${what}; scaled by epochs and iterations` }
}

/** For one stage on `rows` rows (for PPO: on its iterations). */
export function stagePace(
  db: Db,
  stage: LearningJob['stage'],
  config: LearningJob['config'],
  conditions: Conditions,
  rows: number,
): Pace {
  const wanted = units(config, rows)
  const measured = runsWithoutStudy(db).find((run) => isLike(run, stage, config, conditions))
  const spent = measured?.seconds.active
  if (measured === undefined || spent === undefined || measured.updatesDone === 0) return nothing
  const done = unitsDone(measured, config)
  return {
    seconds: (spent / done) * wanted,
    basis: `measured in ${measured.runId} on this machine: same model, ${threadsOf(measured)}; scaled by updates`,
  }
}

const threadsOf = ({ threads }: { threads: number }): string => `${threads} thread${threads === 1 ? '' : 's'}`

function isComparable(db: Db, study: StudyRow, config: StudyConfig, conditions: Conditions): boolean {
  const { processor } = provenanceOf(db, study.studyId)
  const alike = (key: keyof StudyConfig) => free.has(key) || study.config[key] === config[key]
  return (
    processor === (cpus()[0]?.model.trim() ?? null) &&
    study.device === conditions.device &&
    study.threads === conditions.threads &&
    study.verifyResume === conditions.verifyResume &&
    canonicalJson(study.modelFiles) === canonicalJson(conditions.modelFiles) &&
    (Object.keys(config) as (keyof StudyConfig)[]).every(alike)
  )
}

const isWhole = (db: Db, { studyId }: StudyRow): boolean =>
  stagesOf(db, studyId).every(({ status, seconds }) => status === 'finished' && seconds >= 0)

/** How much of a stage is still to be done, 0 to 1. */
function share(status: StageRecord['status'], updates: number, total: number): number {
  if (status === 'finished') return 0
  return total > 0 ? Math.max(0, 1 - updates / total) : 1
}

function scale(stage: StageName, wanted: StudyConfig, measured: StudyConfig): number {
  if (stage === 'sft') return wanted.sft_epochs / measured.sft_epochs
  if (stage === 'reward') return wanted.reward_epochs / measured.reward_epochs
  return stage === 'ppo' ? wanted.rollout_iterations / measured.rollout_iterations : 1
}

function isLike(run: RunRow, stage: string, config: LearningJob['config'], conditions: Conditions): boolean {
  const perUnit = [
    ...['lora_rank', 'max_new_tokens', 'prompts_per_rollout', 'ppo_epochs_per_rollout'],
    ...['group_size', 'epochs_per_rollout'],
  ]
  const wanted: Readonly<Record<string, unknown>> = config
  return (
    run.status === 'finished' &&
    run.stage === stage &&
    run.threads === conditions.threads &&
    (conditions.device === 'auto' || run.device === conditions.device) &&
    canonicalJson(run.config.model_files) === canonicalJson(conditions.modelFiles) &&
    perUnit.every((key) => wanted[key] === undefined || run.config[key] === wanted[key])
  )
}

/** Examples read, or iterations sampled. */
function units(config: LearningJob['config'], rows: number): number {
  return 'rollout_iterations' in config ? config.rollout_iterations : rows * config.epochs
}

function unitsDone({ updatesDone, config: settings }: RunRow, config: LearningJob['config']): number {
  if ('ppo_epochs_per_rollout' in config) return updatesDone / config.ppo_epochs_per_rollout
  if ('epochs_per_rollout' in config) return updatesDone / config.epochs_per_rollout
  return updatesDone * Number(settings.accumulation_examples ?? config.accumulation_examples)
}
