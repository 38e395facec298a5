import { expect, it } from 'vitest'
import { filterRows, noFilter, valuesOf } from './filter-rows.ts'

const rows = [
  { name: 'office-help seed 49', status: 'finished', preset: 'minimum' },
  { name: 'office-help seed 50', status: 'running', preset: 'embedded' },
  { name: 'long answers', status: 'finished', preset: 'embedded' },
]
type Row = (typeof rows)[number]
const fieldOf = (row: Row, field: string) => row[field as keyof Row]
const filtered = (text: string, chosen: Record<string, string> = {}) =>
  filterRows(rows, { text, chosen }, ({ name }) => name, fieldOf).map(({ name }) => name)

it('finds every word, in any order and case', () => {
  expect(filtered('49 OFFICE')).toEqual(['office-help seed 49'])
  expect(filtered('nothing')).toEqual([])
})

it('keeps the chosen values', () => {
  expect(filtered('', { status: 'finished', preset: '' })).toHaveLength(2)
  expect(filtered('office', { status: 'finished', preset: 'embedded' })).toEqual([])
})

it('leaves the list as it is without a filter', () => {
  expect(filterRows(rows, noFilter, String, fieldOf)).toBe(rows)
  expect(valuesOf(rows, 'preset', fieldOf)).toEqual(['embedded', 'minimum'])
})
