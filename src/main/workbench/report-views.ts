/** A study's report as windows compose it: its sections, a preview on paper, and the files that go into a paper. */
import { statSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import type { Answers, RequestParameters } from '../../shared/ipc.ts'
import { reportPage } from '../report/html/page.ts'
import { previewStyle } from '../report/html/style.ts'
import { captionedIn, type Presentation, presented } from '../report/presentation.ts'
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
    items: captionedIn([section]),
  }))
}

/** Throws `BadInput` for an unknown study, section or caption. */
export function previewReport(
  bench: Workbench,
  { study_id, sections, ...presentation }: RequestParameters<'report.preview'>,
): Answers['report.preview'] {
  const document = showStudy(bench, study_id)
  const shown = chosenSections(presented(reportSections(document), asPresentation(presentation)), sections)
  return { html: reportPage(document, shown, previewStyle(), 'light') }
}

/**
 * Writes the report into `out`, by default the study's own report folder.
 * @param urlOf address of a file of that own folder, by its path inside it; null where the window shows folders
 */
export async function exportReport(
  bench: Workbench,
  { study_id, formats, sections, out, ...presentation }: RequestParameters<'report.export'>,
  urlOf: (studyId: string, path: string) => string | null,
): Promise<Answers['report.export']> {
  const { studyId } = requireStudy(bench, study_id)
  const own = reportDir(bench.home, studyId)
  const folder = out === undefined ? own : resolve(out)
  const { files } = await bench.writeReport(showStudy(bench, studyId), {
    formats,
    out: folder,
    presentation: asPresentation(presentation),
    ...(sections === undefined ? {} : { sections }),
  })
  return {
    files: files.map((file) => ({
      path: resolve(file),
      bytes: statSync(file).size,
      url: folder === own ? urlOf(studyId, relative(own, file).split(sep).join('/')) : null,
    })),
  }
}

interface PresentationRequest {
  readonly captions?: Readonly<Record<string, string>> | undefined
  readonly figure_width?: Presentation['figureWidth'] | undefined
}

function asPresentation({ captions, figure_width }: PresentationRequest): Presentation {
  return {
    ...(captions === undefined ? {} : { captions }),
    ...(figure_width === undefined ? {} : { figureWidth: figure_width }),
  }
}
