import { describe, expect, it } from 'vitest'
import { ago, bytes, counted, duration, fixed, setting, signed } from './index.ts'

describe('durations', () => {
  it.each([
    [0.42, '0.4 s'],
    [45, '45 s'],
    [59.6, '1 m'],
    [70, '1 m 10 s'],
    [3599.7, '1 h'],
    [11_520, '3 h 12 m'],
    [187_200, '2 d 4 h'],
  ])('%d s is %s', (seconds, text) => expect(duration(seconds)).toBe(text))
})

describe('sizes', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1500, '1.5 kB'],
    [999_600, '1.0 MB'],
    [988_000_000, '988 MB'],
    [12.34e9, '12.3 GB'],
  ])('%d bytes are %s', (amount, text) => expect(bytes(amount)).toBe(text))
})

it('writes settings as files do', () => {
  expect([3e-4, 5e-6, 0.01, 16, 0, -1, 'minimum'].map(setting)).toEqual([
    '3e-4',
    '5e-6',
    '0.01',
    '16',
    '0',
    '-1',
    'minimum',
  ])
})

it('signs differences, and never a zero', () => {
  expect([2.1, -0.4, 0.001, -0.001].map((value) => signed(value))).toEqual(['+2.10', '−0.40', '0.00', '0.00'])
  expect(fixed(-1.5)).toBe('−1.50')
})

it('counts in words', () => {
  expect([counted(1, 'study', 'studies'), counted(1200, 'row')]).toEqual(['1 study', '1,200 rows'])
})

it('tells how long ago', () => {
  const now = Date.parse('2026-03-04T12:00:00Z')
  const at = (iso: string) => ago(iso, now)
  expect(at('2026-03-04T11:59:30Z')).toBe('just now')
  expect(at('2026-03-04T11:55:00Z')).toBe('5 minutes ago')
  expect(at('2026-03-03T11:00:00Z')).toBe('yesterday')
  expect(at('2025-12-01T11:00:00Z')).toBe('2025-12-01')
})
