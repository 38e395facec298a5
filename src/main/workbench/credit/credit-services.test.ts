/** Estimates, comparisons and process rewards as plain data, on the example file and on files that are hard to read. */
import { resolve } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Trajectory, Turn } from '../../../shared/trajectory.ts'
import { methods } from '../../engine/credit/estimators/registry.ts'
import { readTrajectories } from '../../rows/read-trajectories.ts'
import { comparisonOf, labelledEstimate } from './compare-credit.ts'
import { creditDiagnosis } from './diagnose-credit.ts'
import { creditEstimate } from './estimate-credit.ts'
import { processReward } from './induced-process-reward.ts'

const file = resolve('resources/examples/trajectories.jsonl')
let example: Trajectory[]
beforeAll(async () => {
  example = (await readTrajectories(file)).map(({ row }) => row)
})

function finiteNumbers(value: unknown, place = ''): void {
  if (typeof value === 'number') expect(Number.isFinite(value), place).toBe(true)
  if (typeof value === 'object' && value !== null) {
    for (const [key, part] of Object.entries(value)) finiteNumbers(part, `${place}.${key}`)
  }
}

describe('estimates', () => {
  test.each(methods.map((method) => [method.name, method] as const))('%s runs on the example file', (_name, method) => {
    const result = creditEstimate(example, method, {}, file)
    expect(JSON.parse(JSON.stringify(result))).toEqual(result)
    finiteNumbers(result)
    expect(result.trajectories.map(({ id }) => id)).toEqual(example.map(({ id }) => id))
    let tokens = 0
    result.trajectories.forEach((rollout, i) => {
      const { turns, reward } = example[i]!
      if (reward === null) {
        expect(rollout).toMatchObject({ abstained: true, absence: 'abstained', tokens: [] })
        return
      }
      const places = turns.flatMap(({ role, token_ids = [] }, turn) =>
        role === 'assistant' ? token_ids.map((_, index) => ({ turn, index })) : [],
      )
      expect(rollout.tokens.map(({ turn, index }) => ({ turn, index }))).toEqual(places)
      tokens += places.length
    })
    expect(result.summary.token.n).toBe(tokens)
    expect(result.summary.token.std).toBeGreaterThan(0)
    expect(result.summary.episode.n).toBe(11)
    expect(result.conventions.summary).toContain('ddof 0')
  })
})

describe('comparisons', () => {
  test('a method agrees with itself; a baseline can be part of its name', () => {
    const labels = ['monte-carlo:rloo', 'monte-carlo:grpo', 'gae']
    const estimates = labels.map((label) => labelledEstimate(label, example, {}, file))
    const result = comparisonOf([...estimates, { ...estimates[2]!, label: 'again' }], 3)
    finiteNumbers(result)
    expect(result.pairs).toHaveLength(6)
    const pair = (a: string, b: string) => result.pairs.find((one) => one.a === a && one.b === b)!
    expect(pair('gae', 'again')).toMatchObject({
      rank_correlation: 1,
      sign_agreement: 1,
      opposite_signs: 0,
      differ_most: [],
    })
    expect(pair('monte-carlo:rloo', 'monte-carlo:grpo')).toMatchObject({ sign_agreement: 1 })
    expect(result.methods[0]!.parameters).toEqual({ baseline: 'rloo' })
    const { differ_most } = pair('monte-carlo:rloo', 'gae')
    expect(differ_most).toHaveLength(3)
    const distances = differ_most.map(({ ranks }) => Math.abs(ranks[0] - ranks[1]))
    expect(distances).toEqual(distances.toSorted((a, b) => b - a))
    expect(result.abstained).toEqual(['portal-3'])
    expect(result.advantages).toHaveLength(result.tokens)
  })

  test('names that are no method or take no baseline', () => {
    const label = (name: string) => () => labelledEstimate(name, example, {}, file)
    expect(label('gea')).toThrow('--methods: gea is no method; did you mean gae?')
    expect(label('gae:rloo')).toThrow('gae takes no baseline')
    expect(label('monte-carlo:loo')).toThrow('loo is not one of none, rloo')
  })
})

test('the example file is diagnosed as it was made', () => {
  const { method, checks } = creditDiagnosis(example, null, {}, file)
  expect(method).toBe('gae-skip-observation')
  finiteNumbers(checks)
  const byId = new Map(checks.map((check) => [check.id, check]))
  expect(byId.get('confident-wrong')).toMatchObject({ figure: 1, detail: expect.stringContaining('printer-3') })
  expect(byId.get('process-reward-off')?.detail).toContain('the optimum stays')
  expect(checks.filter(({ status }) => status === 'failed')).toEqual([])
})

describe('induced process reward', () => {
  const ask = (text = 'q'): Turn => ({ role: 'user', text })
  const row = (id: string, group: string, reward: number | null, ids: number[], turns: Turn[] = []): Trajectory => ({
    id,
    group,
    reward,
    terminated: true,
    truncated: false,
    turns: [ask(), { role: 'assistant', token_ids: ids }, ...turns],
  })

  test('is refused where every group is killed, each with its reason, abstentions left out', async () => {
    const result = await processReward(
      [
        row('a0', 'apart', 1, [1, 2]),
        row('a1', 'apart', 0, [3, 2, 2]),
        row('a2', 'apart', null, [1, 2]),
        row('e0', 'equal', 1, [1]),
        row('e1', 'equal', 1, [1]),
        row('o0', 'one', 1, [1]),
        row('n0', 'none', null, [1]),
      ],
      'file',
    )
    expect(result).toMatchObject({ killed_groups: 4, verdict: 'refused', abstained: 2 })
    // One group of each cause: each has its own remedy.
    expect(result.remedy).toMatch(
      /^two graded rollouts .*; re-roll at prefixes .*; outcomes that differ within a group/,
    )
    expect(result.groups).toMatchObject([
      {
        group: 'apart',
        rollouts: 2,
        abstained: 1,
        positions: 5,
        longest_common_prefix: 0,
        mean_divergence_depth: 1,
        informative_fraction: 0,
        zero_reward_fraction: 0.6,
        killed: true,
        reason: expect.stringContaining('every prefix is alone'),
      },
      { group: 'equal', informative_fraction: 1, reason: expect.stringContaining('same outcome') },
      { group: 'one', longest_common_prefix: 0, reason: expect.stringContaining('only one rollout') },
      { group: 'none', rollouts: 0, mean_divergence_depth: null, root_value: null, reason: 'no rollout is graded' },
    ])
    finiteNumbers(result)
  })

  test('is given where rollouts branch, token by token where asked, observations in the prefix but not in the shares', async () => {
    const then = (ids: number[]): Turn[] => [
      { role: 'tool', token_ids: [9, 9] },
      { role: 'assistant', token_ids: ids },
      { role: 'tool', token_ids: [7] },
    ]
    const rows = [row('a', 'g', 1, [1], then([5])), row('b', 'g', 0, [1], then([6]))]
    const result = await processReward(rows, 'file', true)
    expect(result).toMatchObject({ killed_groups: 0, verdict: 'informative', remedy: null })
    expect(result.groups[0]).toMatchObject({ positions: 4, longest_common_prefix: 3, informative_fraction: 0.5 })
    expect(result.trajectories).toEqual([
      {
        id: 'a',
        tokens: [
          { turn: 1, index: 0, reward: 0, value: 0.5, count: 2 },
          { turn: 3, index: 0, reward: 0.5, value: 1, count: 1 },
        ],
      },
      {
        id: 'b',
        tokens: [
          { turn: 1, index: 0, reward: 0, value: 0.5, count: 2 },
          { turn: 3, index: 0, reward: -0.5, value: 0, count: 1 },
        ],
      },
    ])
    const partly = await processReward([...rows, row('c', 'h', 1, [1])], 'file')
    expect(partly).toMatchObject({ killed_groups: 1, verdict: 'partial' })
  })

  test('different prompts in a group share nothing, and that is said', async () => {
    const other = row('b', 'g', 0, [1, 3])
    const result = await processReward(
      [row('a', 'g', 1, [1, 2]), { ...other, turns: [ask('another'), ...other.turns.slice(1)] }],
      'file',
    )
    expect(result.groups[0]).toMatchObject({ killed: true, longest_common_prefix: 0 })
    expect(result.notes[0]).toContain('different prompts')
  })

  test('a turn without ids is named', async () => {
    const bare = row(
      'a',
      'g',
      1,
      [1],
      [
        { role: 'tool', text: 'x' },
        { role: 'assistant', token_ids: [2] },
      ],
    )
    await expect(processReward([bare], 'file')).rejects.toThrow(
      'file: process-reward needs token_ids in turns[2]; import the file with --tokenizer DIR (row a)',
    )
  })

  test('1,600 rollouts in 400 interleaved groups', async () => {
    function* rows() {
      for (let i = 0; i < 1600; i++) {
        yield row(`r${i}`, `g${i % 400}`, i % 7 === 0 ? null : i % 2, [i, ...Array<number>(60).fill(1)])
      }
    }
    const result = await processReward(rows(), 'file')
    expect(result).toMatchObject({
      killed_groups: 400,
      verdict: 'refused',
      abstained: 229,
      max_informative_fraction: 0,
    })
    expect(result.groups.reduce((sum, { rollouts, abstained }) => sum + rollouts + abstained, 0)).toBe(1600)
  })
})
