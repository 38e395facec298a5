/** Tables `updates` and `validations`: the learning curves, as the journal has them. */
import type { PolicyUpdate } from '../../shared/group-run.ts'
import type { RunId } from '../../shared/ids.ts'
import type { GroupUpdatePoint } from '../../shared/run-points.ts'
import type { PpoUpdate, UpdateLine, ValidationLine } from '../../shared/stage.ts'
import type { PpoUpdatePoint, UpdatePoint, ValidationPoint } from '../../shared/study-document.ts'
import { assertFinite, decodeJson, encodeJson } from './json.ts'
import type { Db } from './open-store.ts'

interface Columns {
  readonly update_number: number
  readonly step: number
  readonly learning_rate: number
  readonly loss: number
  readonly grad_norm: number
  readonly metrics: string
}

const insertion = `INSERT INTO updates
  (run_id, update_number, step, learning_rate, loss, grad_norm, metrics, rows) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`

/** Throws naming the number when one is not finite. */
export function insertUpdate(db: Db, runId: RunId, line: UpdateLine): void {
  assertFinite(line, `update ${line.update}`)
  const metrics = { denominator: line.denominator, denominator_kind: line.denominator_kind }
  db.prepare(insertion).run(
    runId,
    line.update,
    line.epoch,
    line.learning_rate,
    line.loss,
    line.grad_norm,
    encodeJson(metrics),
    encodeJson(line.rows),
  )
}

/** The row's own columns are the actor's; the critic's stand in the metrics. */
export function insertPpoUpdate(db: Db, runId: RunId, iteration: number, update: PpoUpdate): void {
  assertFinite(update, `iteration ${iteration}, update ${update.update}`)
  const ratios = update.observations.flatMap((observation) => observation.ratios)
  const metrics: PpoMetrics = {
    epoch_within_rollout: update.epoch_within_rollout,
    critic_learning_rate: update.learning_rates.critic,
    critic_loss: update.critic_loss,
    critic_grad_norm: update.grad_norms.critic,
    clip_fraction: update.clip_fraction,
    ratio_min: ratios.reduce((least, ratio) => Math.min(least, ratio), ratios[0] ?? 1),
    ratio_max: ratios.reduce((most, ratio) => Math.max(most, ratio), ratios[0] ?? 1),
    old_logprob_max_difference: update.observations.reduce(
      (most, observation) => Math.max(most, observation.old_logprob_max_difference),
      0,
    ),
    denominator: update.equal_response_denominator,
  }
  db.prepare(insertion).run(
    runId,
    update.update,
    iteration,
    update.learning_rates.actor,
    update.actor_loss,
    update.grad_norms.actor,
    encodeJson(metrics),
    '[]',
  )
}

type GroupMetrics = Omit<GroupUpdatePoint, 'update' | 'iteration' | 'epoch' | 'learning_rate' | 'loss' | 'grad_norm'>

/** A critic's figures stand in the metrics. Observations of single tokens stay in the journal. */
export function insertGroupUpdate(db: Db, runId: RunId, iteration: number, update: PolicyUpdate): void {
  assertFinite(update, `iteration ${iteration}, update ${update.update}`)
  const { critic, observations } = update
  const ratios = observations.flatMap((observation) => observation.ratios)
  const metrics: GroupMetrics = {
    denominator: update.equal_response_denominator,
    epoch_within_rollout: update.epoch_within_rollout,
    clip_fraction: update.clip_fraction,
    reference_divergence: update.reference_divergence,
    ratio_min: ratios.reduce((least, ratio) => Math.min(least, ratio), ratios[0] ?? 1),
    ratio_max: ratios.reduce((most, ratio) => Math.max(most, ratio), ratios[0] ?? 1),
    old_logprob_max_difference: observations.reduce(
      (most, observation) => Math.max(most, observation.old_logprob_max_difference),
      0,
    ),
    ...(critic !== undefined && {
      critic_learning_rate: critic.learning_rate,
      critic_loss: critic.loss,
      critic_grad_norm: critic.grad_norm,
    }),
  }
  db.prepare(insertion).run(
    runId,
    update.update,
    iteration,
    update.learning_rate,
    update.loss,
    update.grad_norm,
    encodeJson(metrics),
    '[]',
  )
}

export function groupUpdatesOf(db: Db, runId: RunId): GroupUpdatePoint[] {
  return read(db, runId).map((row) => ({
    update: row.update_number,
    iteration: row.step,
    epoch: row.step,
    learning_rate: row.learning_rate,
    loss: row.loss,
    grad_norm: row.grad_norm,
    ...decodeJson<GroupMetrics>(row.metrics),
  }))
}

interface PpoMetrics {
  readonly epoch_within_rollout: number
  readonly critic_learning_rate: number
  readonly critic_loss: number
  readonly critic_grad_norm: number
  readonly clip_fraction: number
  readonly ratio_min: number
  readonly ratio_max: number
  readonly old_logprob_max_difference: number
  readonly denominator: number
}

export function insertValidation(db: Db, runId: RunId, line: ValidationLine): void {
  assertFinite(line, `validation of epoch ${line.epoch}`)
  db.prepare(
    `INSERT INTO validations (run_id, epoch, population, loss, accuracy, ties, rows) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  ).run(runId, line.epoch, line.population, line.loss, line.accuracy ?? null, line.ties ?? null, encodeJson(line.rows))
}

export function updatesOf(db: Db, runId: RunId): UpdatePoint[] {
  return read(db, runId).map((row) => ({
    update: row.update_number,
    epoch: row.step,
    learning_rate: row.learning_rate,
    loss: row.loss,
    grad_norm: row.grad_norm,
    denominator: decodeJson<{ denominator: number }>(row.metrics).denominator,
  }))
}

export function ppoUpdatesOf(db: Db, runId: RunId): PpoUpdatePoint[] {
  return read(db, runId).map((row) => {
    const metrics = decodeJson<PpoMetrics>(row.metrics)
    return {
      update: row.update_number,
      iteration: row.step,
      epoch_within_rollout: metrics.epoch_within_rollout,
      actor_learning_rate: row.learning_rate,
      critic_learning_rate: metrics.critic_learning_rate,
      actor_loss: row.loss,
      critic_loss: metrics.critic_loss,
      actor_grad_norm: row.grad_norm,
      critic_grad_norm: metrics.critic_grad_norm,
      clip_fraction: metrics.clip_fraction,
      ratio_min: metrics.ratio_min,
      ratio_max: metrics.ratio_max,
      old_logprob_max_difference: metrics.old_logprob_max_difference,
    }
  })
}

export function validationsOf(db: Db, runId: RunId): ValidationPoint[] {
  return db
    .prepare('SELECT epoch, population, loss, accuracy, ties FROM validations WHERE run_id = ? ORDER BY epoch')
    .all(runId) as ValidationPoint[]
}

function read(db: Db, runId: RunId): Columns[] {
  return db
    .prepare(
      `SELECT update_number, step, learning_rate, loss, grad_norm, metrics
       FROM updates WHERE run_id = ? ORDER BY update_number`,
    )
    .all(runId) as Columns[]
}
