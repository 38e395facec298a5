/** The formats a report can be written in, and the names of their files. */
import { join } from 'node:path'
import { BadInput } from '../../shared/bad-input.ts'
import { refuseForeignFile, refuseForeignFolder } from './files/place-files.ts'
import { reportMark } from './html/page.ts'
import { reportFormat } from './json/report-json.ts'
import { texMark } from './latex/report-tex.ts'

export const reportFormats = ['html', 'json', 'pdf', 'latex', 'csv', 'svg'] as const
export type ReportFormat = (typeof reportFormats)[number]

/** Folders of the report, each with an index.csv. */
export const csvFolder = 'tables'
export const figureFolder = 'figures'

interface Place {
  /** The one file of the format, and what marks it as a report. */
  readonly file?: readonly [name: string, mark: string]
  readonly folder?: string
}

const places: Readonly<Record<ReportFormat, Place>> = {
  html: { file: ['report.html', reportMark] },
  json: { file: ['report.json', `"format": "${reportFormat}"`] },
  pdf: { file: ['report.pdf', '<pdf:Producer>Recompense</pdf:Producer>'] },
  // Not report.tex: typesetting it here would put its report.pdf in the place of ours.
  latex: { file: ['report-latex.tex', texMark], folder: figureFolder },
  csv: { folder: csvFolder },
  svg: { folder: figureFolder },
}

const list = `${reportFormats.slice(0, -1).join(', ')} and ${reportFormats.at(-1)}`

/** @throws BadInput naming the first format that cannot be written */
export function chosenFormats(names: readonly string[]): ReportFormat[] {
  const chosen = new Set<ReportFormat>()
  for (const name of names) {
    const format = reportFormats.find((known) => known === name)
    if (format === undefined)
      throw new BadInput('--format', `the report format "${name}" is not supported; ${list} are`)
    chosen.add(format)
  }
  if (chosen.size === 0) throw new BadInput('--format', `no report format given; ${list} are known`)
  return [...chosen]
}

/**
 * For callers that want to know before long work: would the report find its place free? An older report is replaced (it
 * can be written again from the store); a file that is no report is somebody's and stays.
 * @throws BadInput naming the file in the way
 */
export function refuseForeignFiles(formats: readonly ReportFormat[], out: string): void {
  for (const format of formats) {
    const { file, folder } = places[format]
    if (file !== undefined) refuseForeignFile(join(out, file[0]), file[1])
    if (folder !== undefined) refuseForeignFolder(join(out, folder))
  }
}

export function reportFileName(format: 'html' | 'json' | 'pdf' | 'latex'): string {
  return places[format].file![0]
}
