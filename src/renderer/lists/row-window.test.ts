import { expect, it } from 'vitest'
import { rowWindow } from './row-window.ts'

it('draws the rows in view and a margin', () => {
  expect(rowWindow(5000, 34, 0, 900)).toEqual({ first: 0, end: 39 })
  expect(rowWindow(5000, 34, 3400, 900)).toEqual({ first: 88, end: 139 })
  expect(rowWindow(5000, 34, 5000 * 34 - 900, 900)).toEqual({ first: 4961, end: 5000 })
})

it('stays within the list', () => {
  expect(rowWindow(0, 34, 0, 900)).toEqual({ first: 0, end: 0 })
  expect(rowWindow(3, 34, -200, 900)).toEqual({ first: 0, end: 3 })
  expect(rowWindow(3, 34, 9999, 900)).toEqual({ first: 3, end: 3 })
})
