import { expect, test } from 'vitest'
import { plainText } from './plain-text.ts'

test('escape sequences, line breaks and direction overrides are shown instead of obeyed', () => {
  expect(plainText('\u001b[31mred\u001b]0;title\u0007')).toBe('\\u{1b}[31mred\\u{1b}]0;title\\u{7}')
  expect(plainText('\u202etxt.exe\na')).toBe('\\u{202e}txt.exe\\u{a}a')
  expect(plainText('Grüße, 日本語 – “ok”')).toBe('Grüße, 日本語 – “ok”')
})
