/** The sampled responses of a study's PPO run with every number of every token, for samples and the token lattice. */
import type { PpoObservation } from '../../shared/stage.ts'
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

const ppoRun = (bench: Workbench, id: string) => runFor(bench.store.db, requireStudy(bench, id).studyId, 'ppo', 'main')
