import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { boundsFor, readWindowState, usual, writeWindowState } from './window-state.ts'

const screen = { x: 0, y: 0, width: 1920, height: 1080 }
const second = { x: 1920, y: 0, width: 1280, height: 1024 }
const at = (x: number, y: number, width = 1000, height = 700) => ({ x, y, width, height, maximized: false })

it('comes back where it was, on whichever screen', () => {
  expect(boundsFor(at(100, 50), [screen])).toEqual({ x: 100, y: 50, width: 1000, height: 700 })
  expect(boundsFor(at(2000, 50), [screen, second])).toMatchObject({ x: 2000 })
})

it('comes back in the usual place where no screen shows its title bar', () => {
  for (const gone of [at(2000, 50), at(-2000, 50), at(100, 1070), at(100, -800), at(1900, 50)]) {
    expect(boundsFor(gone, [screen])).toEqual(usual)
  }
  expect(boundsFor(null, [screen])).toEqual(usual)
  expect(boundsFor(at(0, 0), [])).toEqual(usual)
})

it('is neither smaller than it may be nor larger than its screen', () => {
  expect(boundsFor(at(0, 0, 10, 10), [screen])).toMatchObject({ width: 720, height: 480 })
  expect(boundsFor(at(0, 0, 5000, 5000), [screen])).toMatchObject({ width: 1920, height: 1080 })
})

it('is kept in a file, and a damaged one is no fault', () => {
  const folder = mkdtempSync(join(tmpdir(), 'window-'))
  expect(readWindowState(folder)).toBe(null)
  writeWindowState(folder, at(1, 2))
  expect(readWindowState(folder)).toEqual(at(1, 2))
  writeFileSync(join(folder, 'window.json'), '{"x": "left"}')
  expect(readWindowState(folder)).toBe(null)
  rmSync(folder, { recursive: true })
})
