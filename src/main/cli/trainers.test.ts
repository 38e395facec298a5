/** Token credit of a reward model and the trainers that use it, as a shell sees them, on golden models and rollouts. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { DatcRow } from '../../shared/credit.ts'
import { openBase } from '../engine/checkpoint/hf-folder.ts'
import { emptyState } from '../engine/checkpoint/learned-state.ts'
import { loraSpecs } from '../engine/checkpoint/lora-layout.ts'
import { readSafetensorsHeader, readTensor } from '../engine/checkpoint/safetensors.ts'
import { roleOf, saveRole } from '../engine/learn/role.ts'
import { runCli } from './run-cli.ts'

const folder = mkdtempSync(join(tmpdir(), 'recompense-trainers-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const golden = (name: string) => resolve('test/golden', name)
const model = golden('checkpoints/base_f32')
const file = (name: string) => join(folder, name)

interface Golden {
  prompt_ids: number[]
  rewards: number[]
  responses: {
    response_ids: number[]
    d: number[]
    variants: Record<
      'full_lambda4' | 'lambda2' | 'no_angle',
      { weights: number[]; predicted_gain: number; tau: number }
    >
  }[]
}
const expected = JSON.parse(readFileSync(golden('datc/datc.json'), 'utf8')) as Golden

function adapter(name: 'actor' | 'reward'): string {
  const header = readSafetensorsHeader(golden('datc/models.safetensors'))
  const state = emptyState(loraSpecs(openBase(model).config, 8, { head: name === 'reward' }))
  for (const spec of state.specs)
    state.data.set(readTensor(header, `${name}.${spec.name}`) as Float32Array, spec.offset)
  saveRole(file(name), roleOf(state, 8, 16, name === 'reward' ? 'score' : 'none'))
  return file(name)
}
const [actor, reward] = [adapter('actor'), adapter('reward')]
const rollouts = expected.responses.map(({ response_ids }, i) => ({
  id: `r${i}`,
  group: 'g',
  reward: expected.rewards[i],
  turns: [
    { role: 'user', token_ids: expected.prompt_ids },
    { role: 'assistant', token_ids: response_ids },
  ],
}))
const jsonl = (name: string, rows: readonly object[]) => {
  writeFileSync(file(name), rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  return file(name)
}
const input = jsonl('rollouts.jsonl', rollouts)
const run = (...args: string[]) => runCli([...args, '--home', file('home')])
const datc = (...args: string[]) =>
  run(
    'credit',
    'datc',
    '--actor',
    model,
    '--actor-adapter',
    actor,
    '--reward',
    model,
    '--reward-adapter',
    reward,
    ...args,
  )

describe('credit datc', () => {
  it.each([
    ['full_lambda4', []],
    ['lambda2', ['--max-weight', '2']],
    ['no_angle', ['--ablation', 'no-angle']],
  ] as const)('gives the golden weights, %s', async (variant, args) => {
    const { code, stdout } = await datc('--input', input, ...args, '--json')
    expect(code).toBe(0)
    const { rows } = JSON.parse(stdout) as { rows: DatcRow[] }
    rows.forEach((row, k) => {
      const wanted = expected.responses[k]!
      const { weights, tau, predicted_gain } = wanted.variants[variant]
      expect(row.id).toBe(`r${k}`)
      weights.forEach((weight, t) => {
        expect(Math.abs(row.weights[t]! - weight)).toBeLessThan(2e-3)
      })
      wanted.d.forEach((d, t) => {
        expect(Math.abs(row.directional_credit[t]! - d)).toBeLessThan(1e-3 * Math.max(...wanted.d.map(Math.abs)))
      })
      expect(Math.abs(row.temperature! / tau - 1)).toBeLessThan(2e-3)
      expect(Math.abs(row.predicted_gain / predicted_gain - 1)).toBeLessThan(2e-3)
    })
  })

  it('shuffles by the seed and leaves out what nobody graded', async () => {
    const graded = jsonl('graded.jsonl', [...rollouts, { ...rollouts[0], id: 'ungraded', reward: null }])
    const [one, again, other] = await Promise.all(
      ['1', '1', '2'].map(async (seed) => {
        const { stdout } = await datc('--input', graded, '--ablation', 'shuffled', '--seed', seed, '--json')
        return JSON.parse(stdout) as { rows: DatcRow[]; left_out: number }
      }),
    )
    expect(one).toEqual(again)
    expect(one!.left_out).toBe(1)
    expect(one!.rows.map(({ id }) => id)).toEqual(rollouts.map(({ id }) => id))
    expect(one!.rows[0]!.weights).not.toEqual(other!.rows[0]!.weights)
    const sorted = (row: DatcRow) => row.weights.toSorted((a, b) => a - b)
    expect(sorted(one!.rows[0]!)).toEqual(sorted(other!.rows[0]!))
  })

  const embedded = resolve('resources/models/embedded')
  it.each([
    ['another vocabulary', ['--reward', embedded, '--input', input], /^error: .*tokenizer\.json: id \d+ is .*id by id/],
    ['a reward model without a head', ['--reward-adapter', actor, '--input', input], /^error: .*actor.*score/],
    ['a ceiling that leaves no room', ['--max-weight', '1', '--input', input], /^error: --max-weight: .*above 1/],
    ['no such file', ['--input', file('none.jsonl')], /^error: .*none\.jsonl: /],
  ])('refuses %s in one line', async (_, args, said) => {
    const { code, stdout, stderr } = await datc(...args)
    expect(code).toBe(2)
    expect(stdout).toBe('')
    const lines = stderr.split('\n').filter((line) => line.startsWith('error:'))
    expect(lines.length).toBe(1)
    expect(lines[0]).toMatch(said)
  })
})

describe('credit read', () => {
  it('adds fields that the estimators then use', async () => {
    const out = file('read.jsonl')
    const args = ['--model', model, '--policy', actor, '--reference', 'base', '--reward-adapter', reward]
    const { code, stdout } = await run('credit', 'read', ...args, '--input', input, '--out', out, '--json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      rows: 4,
      fields: { prefix_scores: { read: 4, kept: 0 }, retention: { read: 4, kept: 0 }, ref_logprobs: { read: 4 } },
    })
    for (const method of ['red', 'p2t']) {
      const estimated = await run('credit', 'estimate', '--method', method, '--input', out, '--json')
      expect(estimated.code, estimated.stderr).toBe(0)
    }
  })
})

describe('train', () => {
  const prompts = jsonl('prompts.jsonl', [
    { id: 'a', prompt: 'The printer is silent.' },
    { id: 'b', prompt: 'No sound in the call.' },
  ])
  writeFileSync(
    file('short.yaml'),
    'rollout_iterations: 2\nprompts_per_rollout: 2\ngroup_size: 2\nmax_new_tokens: 8\nlearning_rate: 0.001\nepochs: 9\n',
  )
  const common = ['--model', model, '--data', prompts, '--init-adapter', actor, '--config', file('short.yaml')]

  it('datc: history, an adapter that loads, rollouts that can be exported; keys of other stages are unused', async () => {
    const out = file('datc-out')
    const { code, stdout, stderr } = await run(
      'train',
      'datc',
      ...common,
      '--reward-adapter',
      reward,
      '--out',
      out,
      '--json',
    )
    expect(code, stderr).toBe(0)
    expect(stderr).toContain('epochs not used by datc')
    const trained = JSON.parse(stdout)
    expect(trained.updates).toBe(2)
    expect(trained.history.map(({ update }: { update: number }) => update)).toEqual([1, 2])
    for (const name of ['learning_rate', 'loss', 'grad_norm', 'mean_reward', 'reference_divergence'])
      expect(Number.isFinite(trained.history[0][name]), name).toBe(true)
    expect(trained.final_learned_sha256).toMatch(/^[0-9a-f]{64}$/)
    expect(existsSync(join(out, 'adapter_model.safetensors'))).toBe(true)
    const exported = file('exported.jsonl')
    const { code: exportCode } = await run('export', 'trajectories', trained.run_id, '--out', exported)
    expect(exportCode).toBe(0)
    const rows = readFileSync(exported, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(rows.length).toBe(8)
    expect(new Set(rows.map(({ group }: { group: string }) => group)).size).toBe(4)
    expect(rows[0].turns[1].weights.length).toBe(rows[0].turns[1].token_ids.length)
  })

  it('a missing reward model is refused before anything is written', async () => {
    const { code, stdout, stderr } = await run('train', 'grpo', ...common, '--out', file('never'))
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/error: --reward-adapter: /)
    expect(existsSync(file('never'))).toBe(false)
  })
})
