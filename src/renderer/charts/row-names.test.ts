import { expect, it } from 'vitest'
import { rowNames } from './row-names.ts'

const names = ['iteration-001-slot-2/turn 1/token 13', 'iteration-001-slot-2/turn 1/token 4']

it('short names take what they need, and are shown whole', () => {
  const { width, shown } = rowNames(['r0', 'rollout'], 600)
  expect(width).toBeCloseTo(7 * 6.6 + 16)
  expect(shown('rollout')).toBe('rollout')
})

it('long names in a narrow chart leave most of it to the bars, and keep the end that tells them apart', () => {
  const { width, shown } = rowNames(names, 350)
  expect(width).toBeLessThanOrEqual(0.45 * 350)
  const short = names.map(shown)
  expect(short).toEqual(names.map((name) => `…${name.slice(-20)}`))
  expect(new Set(short).size).toBe(2)
})
