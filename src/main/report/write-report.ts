/** Writes a study's report. Every file is complete before it has its name, and replaces only a report. */
import { BadInput } from '../../shared/bad-input.ts'
import type { StudyDocument } from '../../shared/study-document.ts'
import { diskFault } from '../engine/checkpoint/disk-fault.ts'
import { makeFolder } from '../engine/checkpoint/make-folder.ts'
import { placeFiles } from './files/place-files.ts'
import { type ReportFile, textFile } from './files/report-file.ts'
import {
  chosenFormats,
  csvFolder,
  figureFolder,
  type ReportFormat,
  refuseForeignFiles,
  reportFileName,
} from './formats.ts'
import { reportPage } from './html/page.ts'
import { reportStyle } from './html/style.ts'
import { reportJson } from './json/report-json.ts'
import { type Presentation, presented } from './presentation.ts'
import type { Section } from './section.ts'
import { chosenSections } from './sections/choose.ts'
import { reportSections } from './sections/outline.ts'

export { chosenFormats, type ReportFormat, refuseForeignFiles, reportFormats } from './formats.ts'

export interface ReportRequest {
  /** In any order, repeats ignored; at least one. */
  readonly formats: readonly string[]
  /** Folder; made where it is missing. */
  readonly out: string
  /** Ids of the sections to write; provenance and limits are always written. Default: all. */
  readonly sections?: readonly string[]
  readonly presentation?: Presentation
}

/**
 * @returns the absolute or relative paths written (as `out` is), in the order of the formats, each file once
 * @throws BadInput for an unknown format, section or caption, or where a file of another origin stands in the way
 */
export async function writeReport(document: StudyDocument, request: ReportRequest): Promise<{ files: string[] }> {
  const formats = chosenFormats(request.formats)
  const sections = chosenSections(presented(reportSections(document), request.presentation ?? {}), request.sections)
  const files = new Map<string, ReportFile>()
  for (const format of formats)
    for (const file of await filesOf(format, document, sections)) if (!files.has(file.path)) files.set(file.path, file)
  makeOutFolder(request.out)
  refuseForeignFiles(formats, request.out)
  return { files: placeFiles([...files.values()], request.out) }
}

/** Writers of paper formats are loaded when they are asked for: a study's own report is a page and its data. */
async function filesOf(
  format: ReportFormat,
  document: StudyDocument,
  sections: readonly Section[],
): Promise<ReportFile[]> {
  switch (format) {
    case 'html':
      return [textFile(reportFileName(format), reportPage(document, sections, reportStyle()))]
    case 'json':
      return [textFile(reportFileName(format), reportJson(document, sections))]
    case 'pdf': {
      const { reportPdf } = await import('./pdf/report-pdf.ts')
      return [{ path: reportFileName(format), bytes: await reportPdf(document, sections) }]
    }
    case 'latex': {
      const { reportTex } = await import('./latex/report-tex.ts')
      const text = reportTex(document, sections, figureFolder)
      return [textFile(reportFileName(format), text), ...(await figures(document, sections))]
    }
    case 'csv': {
      const { reportCsv } = await import('./csv/report-csv.ts')
      return reportCsv(sections, csvFolder)
    }
    case 'svg':
      return figures(document, sections)
  }
}

async function figures(document: StudyDocument, sections: readonly Section[]): Promise<ReportFile[]> {
  const { figureFiles } = await import('./figures/figure-files.ts')
  return figureFiles(sections, figureFolder, document.finished_at ?? document.created_at)
}

function makeOutFolder(out: string): void {
  try {
    makeFolder(out)
  } catch (cause) {
    throw (
      diskFault(out, cause) ??
      new BadInput('--out', `${out} cannot be made a folder: ${cause instanceof Error ? cause.message : String(cause)}`)
    )
  }
}
