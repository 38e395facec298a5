/** The recorder: it changes nothing of a run, reads the gradient that the step is taken on, and resumes bit for bit. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CreditAuditLine } from '../../../shared/credit-audit.ts'
import { type GroupJob, type IterationLine, type JournalLine, type PpoJob, runFiles } from '../../../shared/stage.ts'
import { minimumPreset, type PpoConfig } from '../../../shared/training-config.ts'
import { parseJournal } from '../../jobs/journal-lines.ts'
import { groupConfig, ppoConfig } from '../../workbench/study-config.ts'
import { openBase } from '../checkpoint/hf-folder.ts'
import { tensorOf } from '../checkpoint/learned-state.ts'
import { TorchRandom } from '../random/torch-random.ts'
import { auditDue } from './credit-recorder.ts'
import { runGroup } from './group-stage.ts'
import { runPpo } from './ppo.ts'
import { freshRole, saveRole } from './role.ts'
import { StageRun } from './stage-run.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'recompense-ppo-audit-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const base = new URL('../../../../test/golden/checkpoints/base_f32', import.meta.url).pathname
const at = (name: string) => path.join(folder, name)

beforeAll(() => {
  for (const head of ['none', 'score'] as const) {
    const role = freshRole(openBase(base), { rank: 4, alpha: 8, head, seed: 3 })
    const random = new TorchRandom(4)
    for (const { name } of role.state.specs)
      if (name.endsWith('.lora_B')) random.normal(tensorOf(role.state, name), 0, 0.05)
    saveRole(at(head), role)
  }
  const prompts = ['Printer?', 'No sound.', 'Wi-Fi drops.', 'Locked.']
  writeFileSync(
    at('prompts.jsonl'),
    prompts.map((prompt, i) => `${JSON.stringify({ id: `p${i}`, prompt })}\n`).join(''),
  )
})

const config: PpoConfig = {
  ...ppoConfig(minimumPreset),
  rollout_iterations: 2,
  prompts_per_rollout: 3,
  ppo_epochs_per_rollout: 2,
  ppo_actor_lr: 1e-3,
  max_new_tokens: 8,
  lora_rank: 4,
  lora_alpha: 8,
}

/** Sessions of several runs live on in this process; shapes are tiny. */
async function journalOf(name: string, changes: Partial<PpoConfig>, stopAfter?: number): Promise<string> {
  const runDir = mkdtempSync(`${at(name)}-`)
  const job: PpoJob = {
    stage: 'ppo',
    runId: name,
    runDir,
    base,
    train: at('prompts.jsonl'),
    initAdapter: at('none'),
    rewardAdapter: at('score'),
    config: { ...config, ...changes },
    shuffle: true,
    device: 'cpu',
    threads: 1,
  }
  const run = () => new StageRun(() => {})
  if (stopAfter !== undefined) await runPpo({ ...job, stopAfter }, run())
  await runPpo(job, run())
  return readFileSync(path.join(runDir, runFiles.journal), 'utf8')
}
const linesOf = (journal: string): JournalLine[] => parseJournal(Buffer.from(journal), 'journal')
const isAudit = (line: JournalLine): line is CreditAuditLine => line.kind === 'credit-audit'

describe('a run of two iterations and four updates', () => {
  let off: string
  let every: string
  beforeAll(async () => {
    off = await journalOf('off', {})
    every = await journalOf('every', { audit_every: 1 })
  })

  test('without audits, absent or 0, the journal has its former bytes', async () => {
    expect(linesOf(off).map(({ kind }) => kind)).toEqual(['iteration', 'iteration'])
    expect(await journalOf('zero', { audit_every: 0 })).toBe(off)
  })

  test('with audits, all else is the same to the byte', () => {
    const others = every.split('\n').filter((line) => !line.startsWith('{"kind":"credit-audit"'))
    expect(others.join('\n')).toBe(off)
  })

  test('each reading is of the step at hand: its norm, its rollouts, its shares', () => {
    const lines = linesOf(every)
    const audits = lines.filter(isAudit)
    const iterations = lines.filter((line): line is IterationLine => line.kind === 'iteration')
    expect(
      audits.map(({ update, iteration, epoch_within_rollout }) => [update, iteration, epoch_within_rollout]),
    ).toEqual([
      [1, 1, 1],
      [2, 1, 2],
      [3, 2, 1],
      [4, 2, 2],
    ])
    for (const { iteration, update, policy_sha256, reading } of audits) {
      const own = iterations.find((line) => line.iteration === iteration)!
      const step = own.updates.find((line) => line.update === update)!
      if (reading === null) throw new Error('the gradient is not zero')
      // In the second epoch ratios have moved, and the clip has cut some tokens off: the audit follows.
      expect(Math.abs(reading.full_norm / step.grad_norms.actor - 1)).toBeLessThan(1e-4)
      expect(policy_sha256 === own.policy_sha256).toBe(step.epoch_within_rollout === 1)
      expect(reading.conservation_error).toBeLessThanOrEqual(2e-7)
      expect(reading.token_conservation_error).toBeLessThan(1e-5)
      expect(reading.rollouts.map(({ rollout_id }) => rollout_id)).toEqual(own.rollouts.map((one) => one.rollout_id))
      reading.rollouts.forEach(({ positions, projected_share, token_shares }, k) => {
        expect(token_shares).toHaveLength(own.rollouts[k]!.response_ids.length)
        expect(positions).toBe(token_shares.length)
        expect(token_shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(projected_share, 4)
      })
    }
  })

  test('interrupted between iterations and gone on with: the same bytes', async () => {
    expect(await journalOf('resumed', { audit_every: 1 }, 1)).toBe(every)
  })

  test('every third update is the third', async () => {
    const third = linesOf(await journalOf('third', { audit_every: 3 })).filter(isAudit)
    expect(third.map(({ update }) => update)).toEqual([3])
    expect(third[0]).toEqual(linesOf(every).filter(isAudit)[2])
  })
})

test('a group method: the whole loss, its divergence term included, is what is audited', async () => {
  const runDir = mkdtempSync(`${at('grpo')}-`)
  const job: GroupJob = {
    stage: 'grpo',
    runId: 'grpo',
    runDir,
    base,
    train: at('prompts.jsonl'),
    initAdapter: at('none'),
    rewardAdapter: at('score'),
    config: {
      ...groupConfig(minimumPreset),
      prompts_per_rollout: 2,
      group_size: 3,
      rollout_iterations: 1,
      epochs_per_rollout: 2,
      kl_coefficient: 0.5,
      learning_rate: 1e-3,
      max_new_tokens: 8,
      lora_rank: 4,
      lora_alpha: 8,
      audit_every: 1,
    },
    shuffle: true,
    device: 'cpu',
    threads: 1,
  }
  await runGroup(job, new StageRun(() => {}))
  const lines = linesOf(readFileSync(path.join(runDir, runFiles.journal), 'utf8'))
  const iteration = lines.find((line) => line.kind === 'group-iteration')!
  const audits = lines.filter(isAudit)
  expect(audits.map(({ update }) => update)).toEqual([1, 2])
  audits.forEach(({ reading }, k) => {
    expect(Math.abs(reading!.full_norm / iteration.updates[k]!.grad_norm - 1)).toBeLessThan(1e-4)
    expect(reading!.conservation_error).toBeLessThanOrEqual(2e-7)
    expect(reading!.rollouts).toHaveLength(6)
  })
})

test('when an audit is due', () => {
  const due = (audit_every: number | undefined) =>
    [1, 2, 3, 4].filter((update) => auditDue(audit_every === undefined ? {} : { audit_every }, update))
  expect(due(undefined)).toEqual([])
  expect(due(0)).toEqual([])
  expect(due(2)).toEqual([2, 4])
  expect(due(1)).toEqual([1, 2, 3, 4])
})
