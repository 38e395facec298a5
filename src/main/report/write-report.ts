/** Writes a study's report. Every file is complete before it has its name, and replaces only a report. */
import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BadInput } from '../../shared/bad-input.ts'
import type { StudyDocument } from '../../shared/study-document.ts'
import { reportMark, reportPage } from './html/page.ts'
import { reportStyle } from './html/style.ts'
import { reportFormat, reportJson } from './json/report-json.ts'
import { reportSections } from './sections/outline.ts'

export const reportFormats = ['html', 'json'] as const
export type ReportFormat = (typeof reportFormats)[number]

export interface ReportRequest {
  /** In any order, repeats ignored; at least one. */
  readonly formats: readonly string[]
  /** Folder; made where it is missing. */
  readonly out: string
}

/**
 * @returns the absolute or relative paths written (as `out` is), in the order of the formats
 * @throws BadInput for an unknown format, or where a file of another origin stands in the way
 */
export async function writeReport(document: StudyDocument, request: ReportRequest): Promise<{ files: string[] }> {
  const formats = chosenFormats(request.formats)
  const sections = reportSections(document)
  const contents = formats.map((format) => ({
    path: reportPath(request.out, format),
    text: format === 'html' ? reportPage(document, sections, reportStyle()) : reportJson(document, sections),
  }))
  makeFolder(request.out)
  refuseForeignFiles(formats, request.out)
  const temporaries = contents.map((_, index) => join(request.out, `.report-${process.pid}-${index}.tmp`))
  try {
    contents.forEach(({ text }, index) => {
      writeFileSync(temporaries[index]!, text, { flush: true })
    })
    contents.forEach(({ path }, index) => {
      renameSync(temporaries[index]!, path)
    })
  } finally {
    for (const temporary of temporaries) rmSync(temporary, { force: true })
  }
  return { files: contents.map(({ path }) => path) }
}

/** @throws BadInput naming the first format that cannot be written */
export function chosenFormats(names: readonly string[]): ReportFormat[] {
  const chosen = new Set<ReportFormat>()
  for (const name of names) {
    const format = reportFormats.find((known) => known === name)
    if (format === undefined)
      throw new BadInput('--format', `the report format "${name}" is not supported; ${reportFormats.join(' and ')} are`)
    chosen.add(format)
  }
  if (chosen.size === 0)
    throw new BadInput('--format', `no report format given; ${reportFormats.join(' and ')} are known`)
  return [...chosen]
}

function makeFolder(out: string): void {
  try {
    mkdirSync(out, { recursive: true })
  } catch (cause) {
    throw new BadInput(
      '--out',
      `${out} cannot be made a folder: ${cause instanceof Error ? cause.message : String(cause)}`,
    )
  }
}

/**
 * For callers that want to know before long work: would the report find its place free? An older report is replaced (it
 * can be written again from the store); a file that is no report is somebody's and stays.
 * @throws BadInput naming the file in the way
 */
export function refuseForeignFiles(formats: readonly ReportFormat[], out: string): void {
  for (const format of formats) {
    const path = reportPath(out, format)
    if (!existsSync(path)) continue
    if (!lstatSync(path).isFile()) throw new BadInput(path, 'is in the way of the report and is not a file')
    const beginning = readFileSync(path, 'utf8').slice(0, 2000)
    const ours = format === 'json' ? beginning.includes(`"format": "${reportFormat}"`) : beginning.includes(reportMark)
    if (!ours) throw new BadInput(path, 'is not a report; choose another folder or move it away')
  }
}

function reportPath(out: string, format: ReportFormat): string {
  return join(out, `report.${format}`)
}
