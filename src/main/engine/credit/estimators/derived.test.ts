/** Methods without a published reference, against numbers derived a second time in another way (make_derived.py). */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { branchAdvantages, type Piece } from './mbpo.ts'
import { insideOptions, optionAdvantages } from './option.ts'
import { scoreDifferences } from './red.ts'
import { queryConcentration, rowConcentration } from './retention-gate.ts'
import { rewardToGo } from './reward-to-go.ts'

const derived = JSON.parse(
  readFileSync(new URL('../../../../../test/golden/credit/derived.json', import.meta.url), 'utf8'),
)
const near = (list: readonly number[]) => list.map((value) => expect.closeTo(value, 10) as number)
const nearRows = (rows: readonly (readonly number[])[]) => rows.map(near)

interface Red {
  prefix_scores: number[]
  base_score: number
  gamma: number
  token_rewards: number[]
  returns: number[]
  sum: number
}
test.each(derived.red as Red[])('red: differences telescope (%#)', (one) => {
  const rewards = scoreDifferences(one.prefix_scores, one.base_score)
  expect(rewards).toEqual(near(one.token_rewards))
  expect(rewards.reduce((sum, value) => sum + value, 0)).toBeCloseTo(one.sum, 10)
  expect(rewardToGo(rewards, one.gamma)).toEqual(near(one.returns))
})

test.each(derived.p2t as { token_influences: number[]; gamma: number; returns: number[] }[])(
  'p2t: returns of the influences (%#)',
  ({ token_influences, gamma, returns }) => {
    expect(rewardToGo(token_influences, gamma)).toEqual(near(returns))
  },
)

interface Branched {
  name: string
  rollouts: [Piece['kind'], string][][]
  outcomes: number[]
  values: number[][]
  siblings: number[][]
  mean: number[][]
  mean_std: number[][]
}
test.each(derived.mbpo as Branched[])('mbpo: $name', (one) => {
  const pieces = one.rollouts.map((row) => row.map(([kind, key]) => ({ kind, key })))
  const plain = branchAdvantages(pieces, one.outcomes, 'mean')
  expect(plain.map((row) => row.map(({ value }) => value))).toEqual(nearRows(one.values))
  expect(plain.map((row) => row.map(({ siblings }) => siblings))).toEqual(one.siblings)
  expect(plain.map((row) => row.map(({ advantage }) => advantage))).toEqual(nearRows(one.mean))
  const divided = branchAdvantages(pieces, one.outcomes, 'mean-std')
  expect(divided.map((row) => row.map(({ advantage }) => advantage))).toEqual(nearRows(one.mean_std))
})

interface Options {
  name: string
  options: { rewards: number[]; values: number[] }[]
  gamma: number
  lambda: number
  terminal: boolean
  bootstrap_value: number
  low: number[][]
  high_deltas: number[]
  high: number[]
}
describe('option', () => {
  test.each(derived.option as Options[])('$name', (one) => {
    const end = { terminal: one.terminal, value: one.bootstrap_value }
    const low = insideOptions(one.options, end, one.gamma, one.lambda)
    expect(low.map(({ advantages }) => advantages)).toEqual(nearRows(one.low))
    const high = optionAdvantages(one.options, end, one.gamma, one.lambda)
    expect(high.deltas).toEqual(near(one.high_deltas))
    expect(high.advantages).toEqual(near(one.high))
  })

  test('at λ 1 the advantage of an option’s first token is the residual of the option', () => {
    const { options, gamma } = (derived.option as Options[]).find(({ lambda }) => lambda === 1)!
    const end = { terminal: true, value: 0 }
    const low = insideOptions(options, end, gamma, 1).map(({ advantages }) => advantages[0]!)
    expect(low).toEqual(near(optionAdvantages(options, end, gamma, 1).deltas))
  })
})

test('concentration of attention rows', () => {
  const rows = derived.row_concentration as { row: number[]; concentration: number }[]
  for (const { row, concentration } of rows) expect(rowConcentration(row)).toBeCloseTo(concentration, 10)
  const [a, b] = rows.slice(3).map(({ row, concentration }) => ({ row, concentration }))
  expect(queryConcentration([[a!.row, b!.row], [a!.row]])).toBeCloseTo(
    ((a!.concentration + b!.concentration) / 2 + a!.concentration) / 2,
    10,
  )
  expect(() => rowConcentration([])).toThrow('without positions')
})
