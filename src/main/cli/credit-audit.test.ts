/** `credit audit` as a shell sees it, on the golden actor and rollouts. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { CreditAudit } from '../../shared/credit-audit.ts'
import { openBase } from '../engine/checkpoint/hf-folder.ts'
import { emptyState } from '../engine/checkpoint/learned-state.ts'
import { loraSpecs } from '../engine/checkpoint/lora-layout.ts'
import { readSafetensorsHeader, readTensor } from '../engine/checkpoint/safetensors.ts'
import { roleOf, saveRole } from '../engine/learn/role.ts'
import { runCli } from './run-cli.ts'

const folder = mkdtempSync(join(tmpdir(), 'recompense-audit-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const golden = (path: string) => resolve('test/golden', path)
const model = golden('checkpoints/base_f32')
const { rollouts, rewards, advantages, report } = JSON.parse(readFileSync(golden('geometry/report.json'), 'utf8'))

const adapter = join(folder, 'actor')
{
  const state = emptyState(loraSpecs(openBase(model).config, 8, { head: false }))
  const file = readSafetensorsHeader(golden('geometry/actor.safetensors'))
  for (const spec of state.specs) state.data.set(readTensor(file, spec.name) as Float32Array, spec.offset)
  saveRole(adapter, roleOf(state, 8, 16, 'none'))
}

interface GoldenRollout {
  readonly input_ids: number[]
  readonly segments: { role: string; start: number; length: number; trained: boolean }[]
}
const rows = (rollouts as GoldenRollout[]).map(({ input_ids, segments }, k) => ({
  id: `r${k}`,
  group: 'g',
  reward: rewards[k] as number | null,
  turns: segments.map(({ role, start, length }) => ({ role, token_ids: input_ids.slice(start, start + length) })),
}))
const jsonl = (name: string, content: readonly unknown[]) => {
  const path = join(folder, name)
  writeFileSync(path, content.map((row) => `${JSON.stringify(row)}\n`).join(''))
  return path
}
const input = jsonl('rollouts.jsonl', rows)

const audit = (...args: string[]) =>
  runCli(['credit', 'audit', '--model', model, '--adapter', adapter, '--input', input, ...args])
async function jsonOf(...args: string[]): Promise<CreditAudit> {
  const { code, stdout, stderr } = await audit(...args, '--json')
  expect(code, stderr).toBe(0)
  return JSON.parse(stdout)
}

describe('what it prints', () => {
  it('float64 by turn: the golden shares, parts named and ordered as the rollouts are', async () => {
    const read = await jsonOf('--partition', 'turn', '--dtype', 'float64')
    expect(read).toMatchObject({
      partition: 'turn',
      dtype: 'float64',
      trained_positions: 39,
      backward_passes: 9,
      step_conservation: { optimizer: 'sgd', update_precision_limited: false },
    })
    const names = (report.by_turn.index_rollout_segment as [number, number][]).map(([k, t]) => `r${k}/turn ${t}`)
    expect(read.parts.map(({ name }) => name)).toEqual(names)
    read.parts.forEach((part, i) => {
      expect(Math.abs(part.projected_share - report.by_turn.projected_share[i])).toBeLessThan(1e-10)
      expect(Math.abs(part.norm_share! - report.by_turn.norm_share[i])).toBeLessThan(1e-10)
    })
    expect(read.conservation_error).toBeLessThanOrEqual(1e-15)
  })

  it('by token: one forward-mode pass, no norms', async () => {
    const read = await jsonOf('--partition', 'token')
    expect(read).toMatchObject({ dtype: 'float32', forward_mode_passes: 1, backward_passes: 1 })
    expect(read.parts).toHaveLength(39)
    expect(read.parts[0]).toEqual({ name: 'r0/turn 1/token 0', positions: 1, projected_share: expect.any(Number) })
    expect(read).not.toHaveProperty('cancellation')
  })

  it('a refused optimizer is a result', async () => {
    const { code, stdout } = await audit('--optimizer-step', 'adamw')
    expect(code).toBe(0)
    expect(stdout).toMatch(/real step {2}refused {2}adamw: .*second moment.*weight decay/)
    expect(await jsonOf('--optimizer-step', 'adamw')).toMatchObject({
      step_conservation: { optimizer: 'adamw', refused: expect.stringMatching(/second moment/) },
    })
  })

  it('for people: shares, their sum, the error, the dtype, the passes', async () => {
    const { stdout } = await audit('--learning-rate', '1e-9')
    expect(stdout).toMatch(/^r3 +11 +0\.2805 +0\.5289/m)
    expect(stdout).toMatch(/^Σ of 5 parts +39 +1\.0000 +1\.9768/m)
    expect(stdout).toMatch(/conservation error \d\.\d\de−/)
    expect(stdout).toMatch(/49 % of the parts' gradients cancels/)
    expect(stdout).toMatch(/6 backward passes, float32/)
    expect(stdout).toMatch(/limited by precision/)
    expect(stdout).toMatch(/First order/)
  })

  it('equal rewards leave nothing to share: reason, numbers, remedy', async () => {
    const equal = jsonl(
      'equal.jsonl',
      rows.map((row) => ({ ...row, reward: 1 })),
    )
    const { code, stdout } = await runCli(['credit', 'audit', '--model', model, '--adapter', adapter, '--input', equal])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^refused +every advantage is zero/m)
    expect(stdout).toMatch(/^remedy +take groups whose rewards differ/m)
  })
})

describe('where advantages come from', () => {
  const estimate = (change: (id: string) => string = (id) => id) => {
    const path = join(folder, `estimate-${Math.random()}.json`)
    const trajectories = rows.map(({ id, turns }, k) => ({
      id: change(id),
      tokens: turns.flatMap(({ role, token_ids }, turn) =>
        role === 'assistant' ? token_ids.map((_, index) => ({ turn, index, advantage: advantages[k] })) : [],
      ),
    }))
    writeFileSync(path, JSON.stringify({ method: 'own', trajectories }))
    return path
  }

  it('an estimate’s file, token by token', async () => {
    const read = await jsonOf('--advantages', estimate())
    const own = await jsonOf()
    expect(read.parts).toEqual(own.parts)
    expect(read.advantages).toMatch(/given by .*estimate-/)
    expect(own.advantages).toMatch(/monte-carlo, baseline grpo/)
  })

  it('an estimate of other rollouts is refused by row', async () => {
    const { code, stdout, stderr } = await audit(
      '--advantages',
      estimate((id) => `x${id}`),
    )
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^error: .*estimate.*: has no such rollout \(row r0\)\n$/)
  })

  it('recorded ones must be there for every token', async () => {
    const { code, stderr } = await audit('--advantages', 'recorded')
    expect(code).toBe(2)
    expect(stderr).toMatch(
      /^error: .*rollouts.jsonl: turns\[1\] needs advantages, one number within ±1e15 .* \(row r0\)\n$/,
    )
  })

  it('a rollout without a grade is in no mean and no part', async () => {
    const abstaining = jsonl(
      'abstaining.jsonl',
      rows.map((row, k) => (k === 3 ? { ...row, reward: null } : row)),
    )
    const { stdout } = await runCli([
      'credit',
      'audit',
      '--model',
      model,
      '--adapter',
      adapter,
      '--input',
      abstaining,
      '--baseline',
      'none',
      '--json',
    ])
    const read = JSON.parse(stdout) as CreditAudit
    expect(read.left_out).toEqual(['r3'])
    expect(read.parts.map(({ name }) => name)).toEqual(['r0', 'r1', 'r2', 'r4'])
  })
})

describe('bad input: one line, exit 2, nothing on stdout', () => {
  const refused = async (args: readonly string[], line: RegExp) => {
    const { code, stdout, stderr } = await runCli(['credit', 'audit', '--model', model, ...args])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(line)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  }

  it('a token outside the vocabulary names its row', () =>
    refused(
      [
        '--input',
        jsonl('alien.jsonl', [
          {
            id: 'a',
            reward: 1,
            turns: [
              { role: 'user', token_ids: [1] },
              { role: 'assistant', token_ids: [99999] },
            ],
          },
        ]),
      ],
      /^error: .*alien.jsonl: token id 99999 is outside the model's vocabulary of 512 \(row a\)/,
    ))
  it('nothing graded', () =>
    refused(
      [
        '--input',
        jsonl(
          'silent.jsonl',
          rows.map((row) => ({ ...row, reward: null })),
        ),
      ],
      /holds no rollout that was graded/,
    ))
  it('a missing file', () => refused(['--input', '/nowhere.jsonl'], /^error: \/nowhere.jsonl: file not found/))
  it('an unknown dtype', () =>
    refused(['--input', input, '--dtype', 'float16'], /^error: --dtype: float16 is not allowed/))
})
