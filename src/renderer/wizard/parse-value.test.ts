import { expect, it } from 'vitest'
import { parseValue, problemOf } from './parse-value.ts'

it('reads numbers as people write them', () => {
  expect(['3e-4', ' 0.02 ', '.5', '−1', '+2', '1.', '1E-3'].map((text) => parseValue('gamma', text))).toEqual([
    0.0003, 0.02, 0.5, -1, 2, 1, 0.001,
  ])
})

it.each(['', '1e', 'ten', '0x10', '1,5', 'Infinity', 'NaN', '1 2'])('keeps %j as text and says so', (text) => {
  expect(typeof parseValue('gamma', text)).toBe('string')
  expect(problemOf('gamma', parseValue('gamma', text))).not.toBeNull()
})

it('takes a name as it is', () => {
  expect(parseValue('name', '12')).toBe('12')
  expect(problemOf('name', '12')).toBeNull()
  expect(problemOf('name', '')).not.toBeNull()
})
