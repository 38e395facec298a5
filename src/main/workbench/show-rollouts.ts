/** The sampled responses of a study's PPO run with every number of every token, for samples and the token lattice. */
import type { RolloutAudit } from '../../shared/ipc.ts'
import type { PpoObservation } from '../../shared/stage.ts'
import { creditAuditsOfIteration } from '../store/credit-audits.ts'
import { observationsOf, rolloutsOf, type StoredRollout } from '../store/rollouts.ts'
import { runFor } from '../store/runs.ts'
import { requireStudy, type Workbench } from './workbench.ts'

/**
 * @param iterations first and last, both included; default all
 * @throws BadInput when there is no such study; a study that has not reached PPO has no rollouts
 */
export function showRollouts(bench: Workbench, id: string, iterations?: readonly [number, number]): StoredRollout[] {
  const run = ppoRun(bench, id)
  return run === null ? [] : rolloutsOf(bench.store.db, run.runId, iterations)
}

/** What each update saw of one rollout: current log-probs, ratios and values against those of the sampling. */
export function showObservations(
  bench: Workbench,
  id: string,
  rolloutId: string,
): (PpoObservation & { readonly update: number })[] {
  const run = ppoRun(bench, id)
  return run === null ? [] : observationsOf(bench.store.db, run.runId, rolloutId)
}

/** Exact shares of one rollout's tokens in the updates that were audited while the run learned; none where none was. */
export function showAudits(
  bench: Workbench,
  id: string,
  { rollout_id, iteration }: Pick<StoredRollout, 'rollout_id' | 'iteration'>,
): RolloutAudit[] {
  const run = ppoRun(bench, id)
  if (run === null) return []
  return creditAuditsOfIteration(bench.store.db, run.runId, iteration).flatMap(({ update, reading }) => {
    const own = reading?.rollouts.find((one) => one.rollout_id === rollout_id)
    if (reading == null || own === undefined) return []
    const { token_shares } = own
    return [
      { update, token_shares, conservation_error: reading.token_conservation_error, rollouts: reading.rollouts.length },
    ]
  })
}

const ppoRun = (bench: Workbench, id: string) => runFor(bench.store.db, requireStudy(bench, id).studyId, 'ppo', 'main')
