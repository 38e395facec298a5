/** A study's report as windows compose it: its sections, a preview, and the files that go into a paper. */
import { statSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import type { Answers } from '../../shared/ipc.ts'
import { reportPage } from '../report/html/page.ts'
import { reportStyle } from '../report/html/style.ts'
import { chosenSections } from '../report/sections/choose.ts'
import { reportSections } from '../report/sections/outline.ts'
import { reportDir } from './places.ts'
import { showStudy } from './show-study.ts'
import { requireStudy, type Workbench } from './workbench.ts'

export function reportOutline(bench: Workbench, id: string): Answers['report.sections'] {
  const sections = reportSections(showStudy(bench, id))
  const required = new Set(chosenSections(sections, []).map((section) => section.id))
  return sections.map((section) => ({
    id: section.id,
    title: section.title,
    required: required.has(section.id),
  }))
}

/** Throws `BadInput` for an unknown study or section. */
export function previewReport(bench: Workbench, id: string, sections?: readonly string[]): Answers['report.preview'] {
  const document = showStudy(bench, id)
  return { html: reportPage(document, chosenSections(reportSections(document), sections), reportStyle()) }
}

export interface ExportRequest {
  readonly study_id: string
  readonly formats: readonly string[]
  readonly sections?: readonly string[] | undefined
  readonly out?: string | undefined
}

/**
 * Writes the report into `out`, by default the study's own report folder.
 * @param urlOf address of a file of that own folder, by its path inside it; null where the window shows folders
 */
export async function exportReport(
  bench: Workbench,
  { study_id, formats, sections, out }: ExportRequest,
  urlOf: (studyId: string, path: string) => string | null,
): Promise<Answers['report.export']> {
  const { studyId } = requireStudy(bench, study_id)
  const own = reportDir(bench.home, studyId)
  const folder = out === undefined ? own : resolve(out)
  const request = { formats, out: folder, ...(sections === undefined ? {} : { sections }) }
  const { files } = await bench.writeReport(showStudy(bench, studyId), request)
  return {
    files: files.map((file) => ({
      path: resolve(file),
      bytes: statSync(file).size,
      url: folder === own ? urlOf(studyId, relative(own, file).split(sep).join('/')) : null,
    })),
  }
}
