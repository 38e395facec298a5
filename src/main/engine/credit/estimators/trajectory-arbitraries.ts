/** For tests: groups of rollouts drawn at random, with every field that a method reads. */
import fc from 'fast-check'
import { expect } from 'vitest'
import type { Trajectory, Turn } from '../../../../shared/trajectory.ts'
import { estimate } from './estimate.ts'
import { methodNamed } from './registry.ts'
import type { GivenSettings } from './settings.ts'

export const number = fc.integer({ min: -200, max: 200 }).map((n) => n / 100)
const share = fc.integer({ min: 0, max: 100 }).map((n) => n / 100)
const key = fc.constantFrom('s', 't', 'u')
const lists = (length: number, of: fc.Arbitrary<number>) => fc.array(of, { minLength: length, maxLength: length })

const observation = fc
  .record({ tokens: fc.integer({ min: 0, max: 3 }), token: fc.integer({ min: 0, max: 2 }) })
  .map(({ tokens, token }): Turn => ({ role: 'tool', text: `seen ${token}`, token_ids: Array(tokens).fill(token) }))

const action = fc.integer({ min: 1, max: 3 }).chain((tokens) =>
  fc
    .record({
      token_ids: lists(tokens, fc.integer({ min: 0, max: 2 })),
      logprobs: lists(tokens, number),
      teacher_logprobs: lists(tokens, number),
      values: lists(tokens, number),
      retention: lists(tokens, share),
      prefix_scores: lists(tokens, number),
      token_influences: lists(tokens, number),
      state_key: key,
      option: fc.integer({ min: 0, max: 1 }),
      step: fc.option(number, { nil: undefined }),
    })
    .map(({ step, ...own }): Turn => ({ role: 'assistant', ...own, ...(step !== undefined && { reward: step }) })),
)

const rollout = fc
  .record({
    turns: fc.array(fc.tuple(action, observation), { minLength: 1, maxLength: 4 }),
    reward: number,
    cut: fc.boolean(),
    bootstrap_value: number,
    base_score: number,
    greedy_reward: number,
  })
  .map(
    ({ turns, cut, ...more }): Omit<Trajectory, 'id' | 'group'> => ({
      ...more,
      terminated: !cut,
      truncated: cut,
      ...(cut && { final_state_key: 'never left' }),
      turns: [
        { role: 'user', text: 'question', token_ids: [7] },
        ...turns.flat().map((turn, k) => (turn.role === 'assistant' ? { ...turn, segment: Math.floor(k / 4) } : turn)),
      ],
    }),
  )

export const named = (rows: readonly Omit<Trajectory, 'id' | 'group'>[], group: string): Trajectory[] =>
  rows.map((row, i) => ({ ...row, id: `${group}${i}`, group }))
export const group = fc.array(rollout, { minLength: 1, maxLength: 5 }).map((rows) => named(rows, 'g'))
export const settings = fc.record({ gamma: share, lambda: share })

export const byId = (name: string, rows: readonly Trajectory[], given: GivenSettings = {}) =>
  new Map(
    estimate(methodNamed(name, '--method'), rows, given, 'file').rollouts.map(({ trajectory, credit }) => [
      trajectory.id,
      credit,
    ]),
  )
export const advantagesById = (name: string, rows: readonly Trajectory[], given: GivenSettings = {}) =>
  new Map([...byId(name, rows, given)].map(([id, { advantages }]) => [id, advantages]))
export const close = (list: readonly number[], digits = 9) =>
  list.map((value) => expect.closeTo(value, digits) as number)
export function same(one: ReadonlyMap<string, readonly number[]>, other: ReadonlyMap<string, readonly number[]>) {
  for (const [id, list] of one) expect(other.get(id), id).toEqual(close(list))
}
export const check = (property: fc.IProperty<[Trajectory[], { gamma: number; lambda: number }]>) =>
  fc.assert(property, { numRuns: 60 })
export const checkGroups = (property: fc.IProperty<[Trajectory[]]>) => fc.assert(property, { numRuns: 60 })
