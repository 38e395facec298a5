/** What was computed with DATC about a study: readings of its PPO run's rollouts, and studies of single steps from its policies. */
import { BadInput } from '../../../shared/bad-input.ts'
import type { StudyDatc } from '../../../shared/study-credit.ts'
import { findRun, type RunRow } from '../../store/runs.ts'
import type { Workbench } from '../workbench.ts'
import { creditResult, creditResults } from './credit-results.ts'
import { datcStudies, datcStudy } from './datc-studies.ts'

/** Finished ones, oldest first. */
export function studyDatc(bench: Workbench, ppo: RunRow): StudyDatc {
  return { readings: readingsOf(bench, ppo.runId), steps: stepsOf(bench, ppo) }
}

const mean = (values: readonly number[]) =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length

function readingsOf(bench: Workbench, runId: string): StudyDatc['readings'] {
  return creditResults(bench)
    .filter(
      ({ kind, status, source }) =>
        kind === 'credit-datc' && status === 'finished' && source.kind === 'run' && source.run_id === runId,
    )
    .toReversed()
    .flatMap(({ run_id, created_at, source, policy }) => {
      const reading = present(() => creditResult(bench, run_id).datc)
      if (reading === null) return []
      const { rows, max_weight, ablation, left_out } = reading
      return [
        {
          run_id,
          created_at,
          iterations: source.kind === 'run' ? (source.iterations ?? null) : null,
          policy,
          max_weight,
          ablation,
          rollouts: rows.length,
          left_out,
          predicted_gain: mean(rows.map((row) => row.predicted_gain)),
          predicted_gain_uniform: mean(rows.map((row) => row.predicted_gain_uniform)),
        },
      ]
    })
}

/** By the learned states themselves: from the policy before or after PPO, under the study's own reward model. */
function stepsOf(bench: Workbench, { summary }: RunRow): StudyDatc['steps'] {
  if (summary === null) return []
  const { initialSha256: before, learnedSha256: after } = summary
  return datcStudies(bench)
    .toReversed()
    .flatMap(({ run_id, created_at, config, status }) => {
      const learned = findRun(bench.store.db, run_id)?.summary?.learnedSha256
      if (status !== 'finished' || learned?.reward === undefined || learned.reward !== before.reward) return []
      const from = learned.policy === before.actor ? 'before' : learned.policy === after.actor ? 'after' : null
      const study = present(() => datcStudy(bench, run_id).study)
      if (from === null || study === null) return []
      const { max_weight, ablation, learning_rate } = config
      return [
        {
          run_id,
          created_at,
          from: from as 'before' | 'after',
          max_weight,
          ablation,
          learning_rate,
          summary: study.summary,
          summary_plain: study.summary_plain,
        },
      ]
    })
}

/** Null where its file is gone: the study can be told without it. */
function present<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof BadInput) return null
    throw error
  }
}
