/** What must hold of every method, on rollouts drawn at random. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Trajectory, Turn } from '../../../../shared/trajectory.ts'
import { methods } from './registry.ts'
import { advantagesById, byId, check, group, named, same, settings } from './trajectory-arbitraries.ts'

describe.each(methods.map(({ name }) => name))('%s', (name) => {
  test('gives one finite number an action token, in any order of rows and beside any other group', () => {
    check(
      fc.property(group, settings, (rows, given) => {
        const alone = byId(name, rows, given)
        for (const row of rows) {
          const tokens = row.turns.reduce(
            (sum, turn) => sum + (turn.role === 'assistant' ? (turn.token_ids?.length ?? 0) : 0),
            0,
          )
          const { advantages, returns, perToken = {} } = alone.get(row.id)!
          for (const list of [advantages, returns, ...Object.values(perToken)]) {
            expect(list).toHaveLength(tokens)
            expect(list.every(Number.isFinite)).toBe(true)
          }
        }
        const others = named(rows, 'h').map((row) => ({ ...row, reward: -(row.reward ?? 0) }))
        const mixed = rows.toReversed().flatMap((row, i) => [others[i]!, row])
        same(advantagesById(name, rows, given), advantagesById(name, mixed, given))
      }),
    )
  })

  test('turns without tokens and words of observations change nothing', () => {
    check(
      fc.property(group, settings, (rows, given) => {
        const padded = rows.map((row) => ({
          ...row,
          turns: row.turns.flatMap((turn): Turn[] => [
            { role: 'assistant', token_ids: [] },
            turn.role === 'assistant' ? turn : { ...turn, text: 'other words' },
            { role: 'tool', token_ids: [] },
          ]),
        }))
        same(advantagesById(name, rows, given), advantagesById(name, padded, given))
      }),
    )
  })

  test('an abstention changes nobody else, and is no 0', () => {
    let moved = 0
    check(
      fc.property(group, settings, (rows, given) => {
        const extra: Trajectory = { ...rows[0]!, id: 'extra', reward: null }
        const without = advantagesById(name, rows, given)
        same(without, advantagesById(name, [...rows, extra], given))
        expect(advantagesById(name, [...rows, extra], given).get('extra')).toEqual([])
        const asZero = advantagesById(name, [...rows, { ...extra, reward: 0 }], given)
        if ([...without].some(([id, list]) => list.some((value, t) => value !== asZero.get(id)![t]))) moved += 1
      }),
    )
    const grouped = ['gigpo', 'gaca', 'gated-bepo', 'opd-rbm', 'mbpo'].includes(name)
    expect(moved > 0).toBe(grouped)
  })
})

const ignoresObservations = methods.map(({ name }) => name).filter((name) => !['td', 'gae', 'mbpo'].includes(name))
test.each(ignoresObservations)('%s does not depend on how long observations are', (name) => {
  check(
    fc.property(group, settings, (rows, given) => {
      const longer = rows.map((row) => ({
        ...row,
        turns: row.turns.map((turn) =>
          turn.role === 'tool' ? { ...turn, token_ids: Array(9).fill(5), values: Array(9).fill(3) } : turn,
        ),
      }))
      same(advantagesById(name, rows, given), advantagesById(name, longer, given))
    }),
  )
})
