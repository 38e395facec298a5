import { expect, test } from 'vitest'
import { fixtureDocument } from '../fixture/study-document.ts'
import { phaseTimes } from './phase-times.ts'

test('the whole time of a run is no phase of it: the bar does not count it twice', () => {
  const { runs } = fixtureDocument()
  const text = JSON.stringify(phaseTimes(runs)!.blocks)
  expect(text).toContain('generation')
  expect(text).not.toContain('active')
})
