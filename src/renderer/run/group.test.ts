import { describe, expect, it } from 'vitest'
import type { RunView } from '../../shared/ipc.ts'
import { healthOf } from './health.ts'
import { measure, measuresOf } from './measures.ts'
import { runCharts } from './run-charts.ts'

type Group = NonNullable<RunView['group']>

const update = (at: number, more: Partial<Group['updates'][number]> = {}): Group['updates'][number] => ({
  update: at,
  epoch: Math.ceil(at / 2),
  iteration: Math.ceil(at / 2),
  epoch_within_rollout: 1 + ((at + 1) % 2),
  learning_rate: 1e-3,
  loss: -0.1 * at,
  grad_norm: 1,
  denominator: 8,
  clip_fraction: 0,
  reference_divergence: 0.01 * at,
  ratio_min: 0.9,
  ratio_max: 1.1,
  old_logprob_max_difference: 1e-6,
  ...more,
})

const iteration = (at: number, more: Partial<Group['iterations'][number]> = {}): Group['iterations'][number] => ({
  iteration: at,
  rollouts: 8,
  left_out: 0,
  mean_reward: at,
  rubric_judged: 8,
  rubric_success: 2,
  mean_sampled_policy_reference_logratio: 0,
  mean_action_tokens: 20,
  mean_turns: 1,
  truncated: 0,
  ...more,
})

function view(group: Group, stage = 'grpo'): RunView {
  return {
    run: {
      run_id: 'run-1',
      stage,
      purpose: 'main',
      status: 'running',
      config: { clip_epsilon: 0.2, group_size: 8, gradient_clip: 1 },
      device: 'cpu',
      threads: 1,
      base_sha256: null,
      data_sha256: {},
      code_version: '0',
      parents: [],
      created_at: '',
      started_at: null,
      finished_at: null,
      updates: group.updates.length,
      total: 4,
      error: null,
      initial_learned_sha256: { policy: 'a', reference: 'r', reward: 'w' },
      final_learned_sha256: { policy: 'b', reference: 'r', reward: 'w' },
      trainable_parameters: 1,
      peak_rss_bytes: null,
      seconds: {},
    },
    study_id: null,
    preset: null,
    updates: group.updates,
    ppo_updates: [],
    iterations: [],
    group,
    validations: [],
    memory: [],
  }
}

const group: Group = { updates: [1, 2, 3, 4].map((at) => update(at)), iterations: [iteration(1), iteration(2)] }

describe('a run that learns from groups', () => {
  it('has curves by its own names, iterations at their last update', () => {
    const charts = runCharts(view(group))
    expect(charts.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['reward', 'rubric', 'reference-divergence', 'actor-loss', 'clip']),
    )
    expect(charts.map(({ name }) => name)).not.toContain('critic-loss')
    expect(charts.map(({ name }) => name)).not.toContain('turns')
    const measures = measuresOf(view(group))
    expect(measure(measures, 'reward')?.points).toEqual([
      { x: 2, y: 1 },
      { x: 4, y: 2 },
    ])
    expect(measure(measures, 'reference-divergence')?.points.at(-1)).toEqual({ x: 4, y: 0.04 })
    expect(charts.find(({ name }) => name === 'reward')?.caption).toContain('groups of 8')
  })

  it('shows a critic, turns and failures only where there are any', () => {
    const desk: Group = {
      updates: [update(1, { critic_loss: 0.5, critic_grad_norm: 2, critic_learning_rate: 1e-3 })],
      iterations: [iteration(1, { mean_turns: 4, left_out: 1 })],
    }
    const names = runCharts(view(desk, 'turn-ppo')).map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['critic-loss', 'turns', 'left-out']))
  })

  it('is judged by ratios, divergence, truncation and agreement with the sampling', () => {
    const checks = new Map(healthOf(view(group)).map(({ name, state }) => [name, state]))
    expect(checks.get('Ratio in range')).toBe('good')
    expect(checks.get('Sampling agrees')).toBe('good')
    expect(checks.get('Frozen parts')).toBe('good')
    const wild: Group = {
      updates: [update(1, { ratio_max: 30, reference_divergence: 3, old_logprob_max_difference: 1 })],
      iterations: [iteration(1, { truncated: 6 })],
    }
    const bad = healthOf(view(wild)).filter(({ state }) => state === 'bad')
    expect(bad.map(({ name }) => name)).toEqual(['Ratio in range', 'Divergence', 'Truncated', 'Sampling agrees'])
  })
})
