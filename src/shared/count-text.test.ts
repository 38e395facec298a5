import { expect, it } from 'vitest'
import { countText } from './count-text.ts'

it.each([
  [0, '0'],
  [-0, '0'],
  [7, '7'],
  [999, '999'],
  [1000, '1,000'],
  [12_345_678, '12,345,678'],
  [-1234, '−1,234'],
  [1234.5, '1,234.5'],
  [1e21, '1e+21'],
])('%d is %s', (amount, text) => expect(countText(amount)).toBe(text))
