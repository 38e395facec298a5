/** The trainers at the desk: what an interrupted run goes on to, what a critic learns, what a reward model is paid for. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { defaultDeskRules } from '../../../shared/desk-rules.ts'
import type { GroupIterationLine } from '../../../shared/group-run.ts'
import { type GroupJob, runFiles } from '../../../shared/stage.ts'
import { embeddedPreset } from '../../../shared/training-config.ts'
import { groupConfig } from '../../workbench/study-config.ts'
import { openBase } from '../checkpoint/hf-folder.ts'
import { actionRewards } from '../credit/estimators/placement.ts'
import { runGroup } from '../learn/group-stage.ts'
import { freshRole, saveRole } from '../learn/role.ts'
import { StageRun } from '../learn/stage-run.ts'
import type { DeskTrajectory } from './episode.ts'
import { deskTasks } from './tasks.ts'

const folder = mkdtempSync(join(tmpdir(), 'recompense-desk-training-'))
afterAll(() => rmSync(folder, { recursive: true }))
const model = new URL('../../../../resources/models/embedded', import.meta.url).pathname
const base = openBase(model)
const at = (name: string) => join(folder, name)
saveRole(at('policy'), freshRole(base, { rank: 2, alpha: 4, head: 'none', seed: 1 }))
saveRole(at('judge'), freshRole(base, { rank: 2, alpha: 4, head: 'score', seed: 2 }))
const tasks = deskTasks()
  .filter(({ split }) => split === 'train')
  .slice(0, 5)
writeFileSync(at('tasks.jsonl'), tasks.map((task) => `${JSON.stringify(task)}\n`).join(''))

const rules = { ...defaultDeskRules, horizon: 3, max_turn_tokens: 30 }
const config = {
  ...groupConfig(embeddedPreset),
  learning_rate: 1e-3,
  prompts_per_rollout: 2,
  group_size: 2,
  rollout_iterations: 3,
  epochs_per_rollout: 1,
  kl_coefficient: 0.01,
}
const silent = new StageRun(() => {})

async function train(name: string, own: Partial<GroupJob>): Promise<string> {
  mkdirSync(at(name), { recursive: true })
  await runGroup(
    {
      stage: 'grpo',
      runId: name,
      base: model,
      runDir: at(name),
      weightCache: at('cache'),
      device: 'cpu',
      threads: 1,
      train: at('tasks.jsonl'),
      environment: { name: 'desk', rules },
      initAdapter: at('policy'),
      config,
      shuffle: true,
      ...own,
    },
    silent,
  )
  return readFileSync(join(at(name), runFiles.journal), 'utf8')
}
const iterations = (journal: string) =>
  journal
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as GroupIterationLine)

/** Prices that the base policy's answers differ in, so that groups have something to compare. */
const judged = { ...rules, rubric_weight: 0, reward_model_weight: 1 }

it('an interrupted run samples and learns the same episodes as one that went through, draws of failures included', async () => {
  const failing = { environment: { name: 'desk' as const, rules: { ...rules, failure_rate: 0.5 } } }
  const whole = await train('whole', failing)
  await train('parts', { ...failing, stopAfter: 1 })
  expect(await train('parts', failing)).toBe(whole)
}, 120_000)

it('a reward model is paid at the last turn, and a method that reads it learns from the same episodes', async () => {
  const own = { environment: { name: 'desk' as const, rules: judged }, rewardAdapter: at('judge') }
  for (const stage of ['grpo', 'datc'] as const)
    for (const { rollouts, updates } of iterations(await train(stage, { ...own, stage }))) {
      expect(updates[0]!.grad_norm).toBeGreaterThan(0)
      for (const { trajectory } of rollouts) {
        const { reward, reward_parts, turns } = trajectory as DeskTrajectory
        const paid = turns.flatMap((turn) => (turn.role === 'assistant' ? [turn.reward!] : []))
        expect(paid.reduce((sum, value) => sum + value, 0)).toBeCloseTo(reward!, 10)
        expect(reward_parts!.reward_model).not.toBe(0)
        expect(paid.at(-1)).toBeCloseTo(reward_parts!.reward_model + reward_parts!.rubric, 1)
        const tokens = actionRewards({ trajectory, outcome: reward!, file: 'test' })
        expect(tokens.reduce((sum, value) => sum + value, 0)).toBeCloseTo(reward!, 10)
      }
    }
}, 120_000)

it('PPO over turns teaches a critic of its own beside the policy', async () => {
  const critic = { learning_rate: 1e-2, gamma: 1, gae_lambda: 0.95, value_loss_coef: 0.5, kl_coefficient: 0.01 }
  const own = { stage: 'turn-ppo' as const, critic, config: { ...config, group_size: 1, kl_coefficient: 0 } }
  const journal = await train('ppo', own)
  await train('ppo-parts', { ...own, stopAfter: 2 })
  expect(await train('ppo-parts', own)).toBe(journal)
  const lines = iterations(journal)
  expect(lines).toHaveLength(3)
  for (const { rollouts, updates } of lines) {
    expect(updates[0]!.critic!.grad_norm).toBeGreaterThan(0)
    for (const { trajectory } of rollouts)
      for (const turn of trajectory.turns)
        if (turn.role === 'assistant') expect(turn.values).toHaveLength(turn.token_ids!.length)
  }
  // A value head starts at 0 and has learned since.
  const values = lines.map(({ rollouts }) =>
    rollouts.flatMap(({ trajectory }) => trajectory.turns.flatMap((turn) => turn.values ?? [])),
  )
  expect(values[0]!.every((value) => value === 0)).toBe(true)
  expect(values[2]!.some((value) => value !== 0)).toBe(true)
}, 120_000)

it('refuses what cannot be judged', async () => {
  const environment = { name: 'desk' as const, rules: judged }
  await expect(train('no-judge', { environment })).rejects.toThrow('--reward-adapter: is needed')
  await expect(train('no-datc', { stage: 'datc' })).rejects.toThrow('--reward-adapter: is needed')
  await expect(train('no-critic', { stage: 'turn-ppo' })).rejects.toThrow('critic: is needed')
})
