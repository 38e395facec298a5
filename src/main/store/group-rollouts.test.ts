/** Journals of group runs become rows and back: every rollout whole, curves as the journal has them, nothing left after. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { GroupIterationLine, GroupRollout } from '../../shared/group-run.ts'
import { newRunId } from '../../shared/ids.ts'
import { expectedActionOf, generateCorpus } from '../engine/study/corpus.ts'
import { JournalIngest } from '../jobs/journal-ingest.ts'
import { groupIterationsOf, groupRolloutsOf } from './group-rollouts.ts'
import { deleteJournalRows } from './journal-rows.ts'
import { openStore, type Store } from './open-store.ts'
import { allRolloutRanges } from './rollouts.ts'
import { insertRun } from './runs.ts'
import { groupUpdatesOf, updatesOf } from './updates.ts'

const runId = newRunId(new Date('2026-11-29T16:04:00Z'), () => 0.1, 'grpo')
let dir: string
let store: Store
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'group-journal-'))
  store = openStore(join(dir, 'home'))
  insertRun(store.db, {
    runId,
    studyId: null,
    stage: 'grpo',
    purpose: 'main',
    status: 'queued',
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
    createdAt: '2026-11-29T16:04:00.000Z',
    startedAt: null,
    finishedAt: null,
  })
})
afterEach(() => {
  store.close()
  rmSync(dir, { recursive: true, force: true })
})

const task = generateCorpus().rollouts[0]!.document_id
const rollout = (id: string, reward: number | null, text: string): GroupRollout => ({
  task_id: task,
  trajectory: {
    id,
    group: 'g',
    reward,
    terminated: true,
    truncated: false,
    turns: [
      { role: 'user', token_ids: [1, 2] },
      {
        role: 'assistant',
        text,
        token_ids: [5, 6],
        logprobs: [-1 / 3, -2],
        ref_logprobs: [-1, -2],
        ...(reward !== null && { advantages: [0.1, 0.2], weights: [0.5, 1.5] }),
      },
    ],
  },
  advantage: reward === null ? null : 0.3,
  sampled_policy_reference_logratio: reward === null ? null : 1 / 3,
  tokenization_valid: true,
  ...(reward !== null && { facts: { temperature: 1.25 } }),
})
const line = (iteration: number): GroupIterationLine => ({
  kind: 'group-iteration',
  iteration,
  policy_sha256: `policy ${iteration}`,
  reduction: 'response mean, then batch mean',
  rollouts: [rollout(`${iteration}-0`, 1, 'no such answer'), rollout(`${iteration}-1`, null, 'failed')],
  updates: [
    {
      update: iteration,
      epoch_within_rollout: 1,
      learning_rate: 1e-3,
      loss: 0.25,
      grad_norm: 2,
      clip_fraction: 0.5,
      reference_divergence: 0.01,
      equal_response_denominator: 1,
      observations: [
        {
          rollout_id: `${iteration}-0`,
          current_token_logprobs: [-0.5, -2],
          ratios: [0.9, 1.3],
          loss: 0.25,
          old_logprob_max_difference: 1e-6,
        },
      ],
    },
  ],
})

function ingest(lines: readonly GroupIterationLine[]): void {
  const text = lines.map((one) => `${JSON.stringify(one)}\n`).join('')
  writeFileSync(join(dir, 'journal.jsonl'), text)
  new JournalIngest(store.db, runId, dir).commit(Buffer.byteLength(text))
}

it('keeps every rollout whole and gives curves with and without the rollouts that have no reward', () => {
  expect(expectedActionOf(task)).not.toBeNull()
  ingest([line(1), line(2)])
  const stored = groupRolloutsOf(store.db, runId)
  expect(stored.map(({ trajectory }) => trajectory.id)).toEqual(['1-0', '1-1', '2-0', '2-1'])
  expect(stored[0]).toEqual({ ...line(1).rollouts[0], iteration: 1, policy_sha256: 'policy 1' })
  expect(groupRolloutsOf(store.db, runId, [2, 2]).length).toBe(2)
  expect(groupIterationsOf(store.db, runId)[1]).toEqual({
    iteration: 2,
    rollouts: 1,
    left_out: 1,
    mean_reward: 1,
    rubric_judged: 1,
    rubric_success: 0,
    mean_sampled_policy_reference_logratio: 1 / 3,
    mean_action_tokens: 2,
    mean_turns: 1,
    truncated: 0,
  })
  expect(groupUpdatesOf(store.db, runId)[0]).toEqual({
    update: 1,
    iteration: 1,
    epoch: 1,
    learning_rate: 1e-3,
    loss: 0.25,
    grad_norm: 2,
    denominator: 1,
    epoch_within_rollout: 1,
    clip_fraction: 0.5,
    reference_divergence: 0.01,
    ratio_min: 0.9,
    ratio_max: 1.3,
    old_logprob_max_difference: 1e-6,
  })
  expect(updatesOf(store.db, runId).map(({ update, loss }) => [update, loss])).toEqual([
    [1, 0.25],
    [2, 0.25],
  ])
  expect(allRolloutRanges(store.db)).toEqual([{ run_id: runId, rollouts: 4, first_iteration: 1, last_iteration: 2 }])
})

it('leaves nothing behind when the journal is taken out again', () => {
  ingest([line(1)])
  deleteJournalRows(store.db, runId)
  expect(groupRolloutsOf(store.db, runId)).toEqual([])
  expect(groupUpdatesOf(store.db, runId)).toEqual([])
})

it('refuses a line whose numbers are not what they should be, naming the field', () => {
  const wrong = { ...line(1), rollouts: [{ ...rollout('1-0', 1, 'x'), advantage: 'much' as unknown as number }] }
  expect(() => ingest([wrong])).toThrow(/line 1 of the part read: rollouts\.0\.advantage/)
  expect(groupRolloutsOf(store.db, runId)).toEqual([])
})
