/** A run with recorded rollouts whose numbers are given, for tests of what is made of them. */
import type { RunId } from '../../../shared/ids.ts'
import type { Rollout } from '../../../shared/stage.ts'
import { insertRollout } from '../../store/rollouts.ts'
import { insertRun } from '../../store/runs.ts'
import type { Workbench } from '../workbench.ts'

export const recordedRunId = 'run-20260101-0000-aaaa-ppo' as RunId

export function rollout(changes: Partial<Rollout> & Pick<Rollout, 'rollout_id' | 'prompt_id'>): Rollout {
  return {
    prompt_ids: [1, 2],
    response_ids: [5, 6],
    text: 'hello',
    finish_reason: 'eos',
    tokenization_valid: true,
    old_token_logprobs: [-1, -2],
    reference_token_logprobs: [-1.5, -2.5],
    values: [0.25, 0.5],
    token_rewards: [-0.01, 0.99],
    advantages: [0.7, 0.49],
    returns: [0.95, 0.99],
    learned_reward_score: 1,
    reward_parts: { judge: 1, kl: -0.02, truncation: 0 },
    sampled_actor_reference_logratio: 0.5,
    ...changes,
  }
}

/** @param iterations rollouts by iteration, from 1 on */
export function recordRun(bench: Workbench, iterations: readonly (readonly Rollout[])[]): RunId {
  const { db } = bench.store
  insertRun(db, {
    runId: recordedRunId,
    studyId: null,
    stage: 'ppo',
    purpose: 'main',
    status: 'finished',
    preset: 'own',
    config: {},
    device: 'cpu',
    deviceReason: null,
    threads: 1,
    baseSha256: null,
    dataSha256: {},
    codeVersion: '0',
    parents: [],
    updatesDone: 0,
    updatesTotal: 0,
    journalBytes: 0,
    journalSha256: null,
    summary: null,
    seconds: {},
    owner: null,
    stageProcess: null,
    error: null,
    errorKind: null,
    createdAt: '2026-01-01T00:00:00.000Z',
    startedAt: null,
    finishedAt: null,
  })
  iterations.forEach((rollouts, at) => {
    rollouts.forEach((one, position) => {
      insertRollout(db, recordedRunId, { iteration: at + 1, position, policySha256: `policy ${at + 1}` }, one)
    })
  })
  return recordedRunId
}
