import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { newRunId } from '../../shared/ids.ts'
import type { IterationLine, JournalLine, UpdateLine } from '../../shared/stage.ts'
import { JournalIngest } from '../jobs/journal-ingest.ts'
import { decodeFloats, encodeFloats, encodeIds } from './blobs.ts'
import { canonicalJson } from './json.ts'
import { openStore, type Store } from './open-store.ts'
import { iterationsOf, observationsOf, rolloutsOf } from './rollouts.ts'
import { findRun, insertRun } from './runs.ts'
import { ppoUpdatesOf, updatesOf } from './updates.ts'

const runId = newRunId(new Date('2026-11-29T16:04:00Z'), () => 0.1, 'ppo')
let dir: string
let store: Store
let journal: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'journal-'))
  journal = join(dir, 'journal.jsonl')
  store = openStore(join(dir, 'home'))
  insertRun(store.db, {
    runId,
    studyId: null,
    stage: 'ppo',
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

const update = (n: number, loss = n / 3): UpdateLine => ({
  kind: 'update',
  epoch: 1,
  update: n,
  learning_rate: 1e-5,
  denominator: 7,
  denominator_kind: 'pairs',
  loss,
  grad_norm: Math.PI * n,
  rows: [{ id: 'a', chosen: 0.1, rejected: 0.2 }],
})

const iteration: IterationLine = {
  kind: 'iteration',
  iteration: 1,
  policy_sha256: 'p',
  reduction: 'response mean, then batch mean',
  rollouts: [
    {
      rollout_id: 'r0',
      prompt_id: 'OH000-RL0',
      prompt_ids: [1, 2],
      response_ids: [5, 151645],
      text: 'Hé',
      finish_reason: 'eos',
      tokenization_valid: true,
      old_token_logprobs: [-0.1, -1e-300],
      reference_token_logprobs: [-0.2, -3],
      values: [0.1 + 0.2, 1 / 3],
      token_rewards: [0, 2],
      advantages: [1, -1],
      returns: [3, 4],
      learned_reward_score: 2,
      reward_parts: { judge: 2, kl: 0.002, truncation: 0 },
      sampled_actor_reference_logratio: 0.05,
    },
  ],
  updates: [
    {
      update: 1,
      epoch_within_rollout: 1,
      learning_rates: { actor: 1, critic: 2 },
      grad_norms: { actor: 3, critic: 4 },
      actor_loss: 5,
      critic_loss: 6,
      clip_fraction: 0.5,
      equal_response_denominator: 1,
      observations: [
        {
          rollout_id: 'r0',
          current_token_logprobs: [-0.1, -0.2],
          ratios: [0.9, 1.3],
          current_values: [0, 1],
          actor_loss: 5,
          critic_loss: 6,
          old_logprob_max_difference: 0.25,
        },
      ],
    },
  ],
}

const write = (...lines: JournalLine[]) => {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  appendFileSync(journal, text)
  return Buffer.byteLength(text)
}

describe('the journal in the store', () => {
  it('keeps every number of every token exactly', () => {
    new JournalIngest(store.db, runId, dir).commit(write(iteration))
    const [rollout] = rolloutsOf(store.db, runId)
    expect(rollout).toEqual({ ...iteration.rollouts[0], iteration: 1, policy_sha256: 'p' })
    expect(observationsOf(store.db, runId, 'r0')).toEqual([{ ...iteration.updates[0]!.observations[0], update: 1 }])
    expect(ppoUpdatesOf(store.db, runId)).toMatchObject([
      {
        update: 1,
        actor_loss: 5,
        critic_grad_norm: 4,
        ratio_min: 0.9,
        ratio_max: 1.3,
        old_logprob_max_difference: 0.25,
      },
    ])
    expect(iterationsOf(store.db, runId)).toMatchObject([
      { iteration: 1, rollouts: 1, without_eos: 0, mean_value: (0.1 + 0.2 + 1 / 3) / 2 },
    ])
  })

  it('takes in what a lost message would have announced', () => {
    const first = write(update(1))
    const ingest = new JournalIngest(store.db, runId, dir)
    ingest.commit(first)
    const second = write(update(2))
    const third = write(update(3))
    ingest.commit(first + second + third)
    ingest.commit(first + second + third)
    expect(updatesOf(store.db, runId).map(({ update: n }) => n)).toEqual([1, 2, 3])
  })

  it('drops what lies beyond the journal of a resumed run, and what no longer stands in it', () => {
    const first = write(update(1))
    const both = first + write(update(2))
    new JournalIngest(store.db, runId, dir).commit(both)
    truncateSync(journal, first)
    const again = first + write(update(2, 99), update(3))
    const resumed = new JournalIngest(store.db, runId, dir)
    resumed.commit(again)
    expect(updatesOf(store.db, runId).map(({ loss }) => loss)).toEqual([1 / 3, 99, 1])
    expect(findRun(store.db, runId)?.journalBytes).toBe(again)
    truncateSync(journal, first)
    new JournalIngest(store.db, runId, dir).commit(first)
    expect(updatesOf(store.db, runId)).toHaveLength(1)
  })

  it('refuses a shorter file, half a line, a wrong shape, and changes nothing then', () => {
    const first = write(update(1))
    const ingest = new JournalIngest(store.db, runId, dir)
    ingest.commit(first)
    expect(() => ingest.commit(first + 10)).toThrow('fewer than')
    appendFileSync(journal, '{"kind":"update"')
    expect(() => ingest.commit(first + 16)).toThrow('whole line')
    truncateSync(journal, first)
    const wrong = write(update(2), { ...update(3), loss: null as unknown as number })
    expect(() => ingest.commit(first + wrong)).toThrow(/line 2 of the part read: loss/)
    expect(updatesOf(store.db, runId)).toHaveLength(1)
    expect(findRun(store.db, runId)?.journalBytes).toBe(first)
    writeFileSync(journal, '')
    const short = { ...iteration, rollouts: [{ ...iteration.rollouts[0]!, values: [1] }] }
    expect(() => new JournalIngest(store.db, runId, dir).commit(write(short))).toThrow(
      'values has 1 numbers for 2 tokens',
    )
  })
})

describe('numbers', () => {
  it('that are not finite are refused by place', () => {
    expect(() => encodeFloats([1, Number.NaN], 'values')).toThrow('values[1] is NaN')
    expect(() => encodeIds([-1], 'ids')).toThrow('ids[0] is -1')
    expect(() => canonicalJson({ a: [{ b: Number.POSITIVE_INFINITY }] })).toThrow('$.a[0].b is Infinity')
    expect(decodeFloats(encodeFloats([1e-308, -0.5], 'x'))).toEqual([1e-308, -0.5])
    expect(() => decodeFloats(new Uint8Array(7))).toThrow('multiple of 8')
  })

  it('have one canonical text whatever the order of keys', () => {
    expect(canonicalJson({ b: 1, a: { d: 2, c: [3] } })).toBe('{"a":{"c":[3],"d":2},"b":1}')
  })
})
