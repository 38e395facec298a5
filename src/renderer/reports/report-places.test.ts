import { expect, it } from 'vitest'
import { fixtureDocument } from '../../main/report/fixture/study-document.ts'
import { captionedIn } from '../../main/report/presentation.ts'
import { reportSections } from '../../main/report/sections/outline.ts'
import { allReportPlaces, placeOfRunChart } from './report-places.ts'

it('leads to sections, figures and tables that the report of a whole study has', () => {
  const sections = reportSections(fixtureDocument())
  const known = [...sections, ...captionedIn(sections)].map(({ id }) => id)
  for (const place of allReportPlaces) expect(known, place).toContain(place)
})

it('leads nowhere from runs that no report tells of', () => {
  expect(placeOfRunChart({ stage: 'sft', purpose: 'main' }, 'loss')).toBe('figure-sft-loss')
  expect(placeOfRunChart({ stage: 'sft', purpose: 'resume-check' }, 'loss')).toBeUndefined()
  expect(placeOfRunChart({ stage: 'ppo', purpose: 'main' }, 'something new')).toBeUndefined()
})
