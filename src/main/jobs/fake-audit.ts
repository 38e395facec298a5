/** Results of credit stages that read no model, for tests of everything around stages: shares sum to one and mean nothing. */
import { readFileSync } from 'node:fs'
import type { DatcReading } from '../../shared/credit.ts'
import type { CreditAudit } from '../../shared/credit-audit.ts'
import type { SingleStepStudy } from '../../shared/datc-study.ts'
import type { CreditAuditJob, CreditDatcJob, CreditDatcStudyJob, DeskJob } from '../../shared/stage.ts'
import type { Trajectory } from '../../shared/trajectory.ts'

export function auditOf({ trajectories, settings }: CreditAuditJob): CreditAudit {
  const { partition, dtype, reduction } = settings
  const rows = rowsOf(trajectories)
  const ids =
    partition === 'turn'
      ? rows.flatMap(({ id, turns }) => turns.flatMap(({ role }, k) => (role === 'assistant' ? `${id}/turn ${k}` : [])))
      : rows.map(({ id }) => id)
  return {
    partition,
    dtype,
    reduction,
    advantages: 'none: no model was read',
    trained_positions: ids.length,
    rollouts: rows.length,
    left_out: [],
    parameters: 10,
    backward_passes: ids.length + 1,
    parts: ids.map((name) => ({ name, positions: 1, projected_share: 1 / ids.length, norm_share: 1 })),
    projected_share_sum: 1,
    conservation_error: 0,
    conservation_of: 'gradient',
    cancellation: ids.length,
    full_norm: 1,
  }
}

export function datcOf({ trajectories, settings }: CreditDatcJob): DatcReading {
  const rows = rowsOf(trajectories).map(({ id, turns }) => {
    const actions = turns.flatMap(({ role, token_ids }) => (role === 'assistant' ? (token_ids ?? []) : []))
    const each = <T>(value: T): T[] => actions.map(() => value)
    return {
      id,
      advantage: 0,
      weights: each(1),
      directional_credit: each(0),
      cosine: each(0),
      content: each(true),
      temperature: 1,
      predicted_gain: 0,
      predicted_gain_uniform: 0,
    }
  })
  return { max_weight: settings.max_weight, ablation: settings.ablation, rows, left_out: 0 }
}

/** X and P on one line, both rising. */
export function datcStudyOf({ batches, config }: CreditDatcStudyJob): SingleStepStudy {
  const gain = (k: number) => (k + 1) / batches
  const summary = {
    batches,
    spearman: 1,
    pearson: 1,
    r2: 1,
    share_independent_positive: 1,
    share_shared_positive: 1,
  }
  return {
    rows: Array.from({ length: batches }, (_, k) => ({
      independent_gain: gain(k),
      shared_gain: gain(k) * config.learning_rate,
      shared_gain_plain: gain(k),
      informative_groups: config.prompts_per_rollout,
    })),
    summary,
    summary_plain: summary,
  }
}

/** One rollout a row, right at once. */
export function deskOf({ rows }: DeskJob): Trajectory[] {
  return rowsOf(rows).map(({ id }) => ({
    id: `${id}/0`,
    group: id,
    reward: 1,
    terminated: true,
    truncated: false,
    turns: [
      { role: 'user', text: 'asked', token_ids: [1] },
      { role: 'assistant', text: 'answered', token_ids: [2, 3], state_key: `desk:${id}|`, reward: 1 },
    ],
  }))
}

function rowsOf(file: string): Trajectory[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Trajectory)
}
