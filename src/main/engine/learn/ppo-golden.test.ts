/** One whole PPO iteration through actor, reference, judge and critic against PyTorch's (test/golden/ppo). */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Rollout } from '../../../shared/stage.ts'
import { minimumPreset, type PpoConfig } from '../../../shared/training-config.ts'
import { emptyState } from '../checkpoint/learned-state.ts'
import { loraSpecs } from '../checkpoint/lora-layout.ts'
import { readSafetensorsHeader, readTensor } from '../checkpoint/safetensors.ts'
import { shapeFor } from '../nn/batch.ts'
import { learningRate } from '../optim/schedule.ts'
import { Learner } from './learner.ts'
import { fixedPpoTargets, sampledLogRatio } from './ppo-math.ts'
import { PpoUpdater } from './ppo-update.ts'
import { prefixValues, rewardScores, tokenLogProbs } from './reading.ts'
import { type Role, roleOf } from './role.ts'
import { openStage } from './stage-context.ts'
import { PhaseClock } from './stage-run.ts'

const golden = (path: string) => new URL(`../../../../test/golden/${path}`, import.meta.url).pathname

interface GoldenRun {
  name: string
  peak_actor: number
  peak_critic: number
  total_updates: number
  rollouts: {
    old_logprobs: number[]
    ref_logprobs: number[]
    values: number[]
    score: number
    advantages: number[]
    returns: number[]
  }[]
  log: {
    lr_actor: number
    actor_loss_per_response: number[]
    critic_loss_per_response: number[]
    grad_norm_actor: number
    grad_norm_critic: number
    ratios: number[][]
  }[]
}
interface GoldenIteration {
  rows: {
    document_id: string
    input_ids: number[]
    prompt_tokens: number
    response_tokens: number
    truncated: boolean
  }[]
  runs: GoldenRun[]
}

const context = await openStage({
  base: golden('checkpoints/base_f32'),
  device: 'cpu',
  threads: 2,
  weightCache: '/nonexistent',
})

function roleFrom(file: string, names: (name: string) => string, head: boolean): Role {
  const header = readSafetensorsHeader(golden(file))
  const state = emptyState(loraSpecs(context.base.config, 8, { head }))
  for (const spec of state.specs) state.data.set(readTensor(header, names(spec.name)) as Float32Array, spec.offset)
  return roleOf(state, 8, 16, head ? 'score' : 'none')
}
const relative = (a: Float32Array, b: Float32Array, from: Float32Array) => {
  let [difference, norm] = [0, 0]
  for (let i = 0; i < a.length; i++) {
    difference += (a[i]! - b[i]!) ** 2
    norm += (b[i]! - from[i]!) ** 2
  }
  return Math.sqrt(difference / norm)
}
const near = (a: readonly number[], b: readonly number[], tolerance: number) => {
  expect(a.length).toBe(b.length)
  a.forEach((value, i) => {
    expect(Math.abs(value - b[i]!)).toBeLessThan(tolerance)
  })
}

const iteration = JSON.parse(readFileSync(golden('ppo/e2e.json'), 'utf8')) as GoldenIteration

test.each(iteration.runs)('$name: scores, advantages, losses, norms and final parameters', async (run) => {
  const rows = iteration.rows.map((row) => ({
    promptIds: row.input_ids.slice(0, row.prompt_tokens),
    completionIds: row.input_ids.slice(row.prompt_tokens, row.prompt_tokens + row.response_tokens),
  }))
  const { model } = context
  const actor = roleFrom('ppo/e2e_init.safetensors', (name) => `actor.${name}`, false)
  const critic = roleFrom(
    'ppo/e2e_init.safetensors',
    (name) => (name.startsWith('head.') ? `critic.${name}` : `actor.${name}`),
    true,
  )
  const judge = roleFrom('reward/adapter.safetensors', (name) => name, true)
  const shape = shapeFor(rows, rows.length)
  const old = await tokenLogProbs(model, actor, rows, shape)
  const reference = await tokenLogProbs(model, null, rows, shape)
  const values = await prefixValues(model, critic, rows, shape)
  const scores = await rewardScores(model, judge, rows, shape)

  const config: PpoConfig = { ...minimumPreset, ppo_actor_lr: run.peak_actor, ppo_critic_lr: run.peak_critic }
  const rollouts = rows.map((row, i): Rollout => {
    const fixed = {
      old_token_logprobs: old[i]!,
      reference_token_logprobs: reference[i]!,
      values: values[i]!.slice(0, -1),
      learned_reward_score: scores[i]!,
      finish_reason: iteration.rows[i]!.truncated ? ('length' as const) : ('eos' as const),
    }
    return {
      rollout_id: String(i),
      prompt_id: iteration.rows[i]!.document_id,
      prompt_ids: row.promptIds,
      response_ids: row.completionIds,
      text: '',
      tokenization_valid: true,
      ...fixed,
      ...fixedPpoTargets(fixed, config),
      sampled_actor_reference_logratio: sampledLogRatio(old[i]!, reference[i]!),
    }
  })
  rollouts.forEach((rollout, i) => {
    const expected = run.rollouts[i]!
    near(rollout.old_token_logprobs, expected.old_logprobs, 1e-4)
    near(rollout.reference_token_logprobs, expected.ref_logprobs, 1e-4)
    near([rollout.learned_reward_score], [expected.score], 2e-4)
    near(rollout.values, expected.values, 2e-4)
    near(rollout.advantages, expected.advantages, 1e-3)
    near(rollout.returns, expected.returns, 1e-3)
  })

  const learners = { actor: new Learner(actor), critic: new Learner(critic) }
  const start = { actor: actor.state.data.slice(), critic: critic.state.data.slice() }
  const updater = new PpoUpdater({
    context,
    config,
    ...learners,
    clock: new PhaseClock(),
    promptColumns: Math.max(...rows.map((row) => row.promptIds.length)),
  })
  for (const [epoch, expected] of run.log.entries()) {
    const rate = (peak: number) =>
      learningRate(epoch, run.total_updates, peak, { warmupRatio: 0.1, minimumLrRatio: 0.1 })
    const rates = { actor: rate(run.peak_actor), critic: rate(run.peak_critic) }
    expect(rates.actor).toBeCloseTo(expected.lr_actor, 12)
    const update = await updater.update(rollouts, { update: epoch + 1, epoch: epoch + 1, rates })
    near(
      update.observations.map((o) => o.actor_loss),
      expected.actor_loss_per_response,
      1e-3,
    )
    near(
      update.observations.map((o) => o.critic_loss),
      expected.critic_loss_per_response,
      1e-3,
    )
    expect(Math.abs(update.grad_norms.actor / expected.grad_norm_actor - 1)).toBeLessThan(1e-3)
    expect(Math.abs(update.grad_norms.critic / expected.grad_norm_critic - 1)).toBeLessThan(1e-3)
    update.observations.forEach((observation, i) => {
      near(observation.ratios, expected.ratios[i]!, 1e-3)
    })
  }
  const final = (role: 'actor' | 'critic') => {
    const header = readSafetensorsHeader(golden(`ppo/e2e_${run.name}.safetensors`))
    const data = new Float32Array(learners[role].role.state.data.length)
    for (const spec of learners[role].role.state.specs)
      data.set(readTensor(header, `final.${role}.${spec.name}`) as Float32Array, spec.offset)
    return data
  }
  // The golden file of the small learning rate holds no tensors: its update is below float32's grid of the parameters.
  if (run.name === 'large_lr')
    for (const role of ['actor', 'critic'] as const)
      expect(relative(learners[role].role.state.data, final(role), start[role])).toBeLessThan(2e-2)
})
