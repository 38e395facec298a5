/**
 * The report as JSON: the same sections by the same ids. A number that is not finite becomes null and is listed with
 * its place under `non_finite`, so that the file is valid everywhere and nothing vanishes unseen.
 */
import type { StudyDocument } from '../../../shared/study-document.ts'
import { captionedIn } from '../presentation.ts'
import type { Section } from '../section.ts'

/** Marks a file as a report; it stands in the first line but one. */
export const reportFormat = 'recompense-report'

export interface NonFinite {
  readonly path: string
  readonly value: 'NaN' | 'Infinity' | '-Infinity'
}

type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

export function reportJson(document: StudyDocument, sections: readonly Section[]): string {
  const lost: NonFinite[] = []
  const byId = Object.fromEntries(
    sections.map((section) => [
      section.id,
      {
        title: section.title,
        question: section.question,
        items: captionedIn([section]),
        data: finiteCopy(section.data, `sections.${section.id}.data`, lost),
      },
    ]),
  )
  const whole: Readonly<Record<string, unknown>> = {
    format: reportFormat,
    version: 1,
    study_id: document.study_id,
    name: document.name,
    status: document.status,
    error: document.error,
    seed: document.seed,
    created_at: document.created_at,
    finished_at: document.finished_at,
    sections: byId,
    non_finite: lost,
  }
  return `${JSON.stringify(whole, null, 1)}\n`
}

function finiteCopy(value: unknown, path: string, lost: NonFinite[]): Json {
  if (value === null || value === undefined) return null
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value
    lost.push({ path, value: Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity' })
    return null
  }
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (Array.isArray(value)) return value.map((item, index) => finiteCopy(item, `${path}[${index}]`, lost))
  if (typeof value === 'object')
    return Object.fromEntries(
      Object.entries(value)
        .filter(([, item]) => item !== undefined)
        .map(([key, item]) => [key, finiteCopy(item, `${path}.${key}`, lost)]),
    )
  throw new Error(`${path} holds a ${typeof value}, which is no data`)
}
