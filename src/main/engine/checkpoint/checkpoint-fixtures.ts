/** For tests only: golden folders, scratch space, and copies of golden checkpoints with something changed. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect } from 'vitest'
import { BadInput } from '../../../shared/bad-input.ts'

export const golden = join(import.meta.dirname, '../../../../test/golden')
export const checkpoints = join(golden, 'checkpoints')

/** A folder that is removed after the test file. */
export function scratchFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'recompense-checkpoint-'))
  afterAll(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** Copies a folder and edits its JSON files: keys are replaced, `undefined` removes one. */
export function editedCopy(from: string, to: string, edits: Readonly<Record<string, object>> = {}): string {
  cpSync(from, to, { recursive: true })
  for (const [file, changes] of Object.entries(edits)) {
    const json = { ...(JSON.parse(readFileSync(join(to, file), 'utf8')) as object), ...changes }
    writeFileSync(join(to, file), JSON.stringify(json))
  }
  return to
}

/** Runs and expects a BadInput of one line whose message matches. */
export function expectBadInput(run: () => unknown, message: RegExp, hint = ''): void {
  let thrown: unknown
  try {
    run()
  } catch (error) {
    thrown = error
  }
  expect(thrown, `${hint} must be refused`).toBeInstanceOf(BadInput)
  expect((thrown as BadInput).message, hint).toMatch(message)
  expect((thrown as BadInput).message).not.toContain('\n')
}
