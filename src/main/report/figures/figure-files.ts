/**
 * Every figure on its own: an SVG with its styles in it, a PDF for one column and for both (or the chosen one), and the
 * numbers it draws; and every printed table as a drawing. The LaTeX report includes the same PDFs, so that the folder is
 * the same whichever of the two formats was asked for.
 */
import { chartRecords } from '../csv/chart-records.ts'
import { csvText, type Field } from '../csv/records.ts'
import { type ReportFile, textFile } from '../files/report-file.ts'
import { figurePdf, tablePdf } from '../pdf/figure-pdf.ts'
import type { ReportTable, Section } from '../section.ts'
import { columnWidths, figurePdfName, standaloneSvg, standaloneTable, tableMillimetres } from '../svg/standalone.ts'
import { type FigureItem, itemsOf } from '../walk.ts'

const widths = ['narrow', 'wide'] as const

/** A file and what the index says of it. */
interface Listed extends ReportFile {
  readonly entry: readonly Field[]
}

/** @param date ISO time that stands for the PDFs' creation */
export async function figureFiles(sections: readonly Section[], folder: string, date: string): Promise<ReportFile[]> {
  const files: Listed[] = []
  for (const item of itemsOf(sections)) {
    if (item.kind === 'figure') files.push(...(await filesOfFigure(item, date)))
    if (item.kind === 'table' && item.printed) files.push(...(await filesOfTable(item.section, item.table, date)))
  }
  const index = csvText(
    ['file', 'kind', 'section', 'title', 'caption', 'width in mm'],
    files.map(({ path, entry }) => [path, ...entry]),
  )
  return [
    textFile(`${folder}/index.csv`, index),
    ...files.map(({ path, bytes }) => ({ path: `${folder}/${path}`, bytes })),
  ]
}

async function filesOfFigure({ section, figure, width, fixed }: FigureItem, date: string): Promise<Listed[]> {
  const { id, title, caption } = figure
  requireFileName(id)
  const entry = (kind: string, millimetres: number | null): Field[] => [kind, section.id, title, caption, millimetres]
  const { head, rows } = chartRecords(figure.chart)
  const files: Listed[] = [
    { ...textFile(`${id}.svg`, standaloneSvg(figure, width)), entry: entry('drawing', columnWidths[width]) },
    { ...textFile(`${id}.csv`, csvText(head, rows)), entry: entry('data', null) },
  ]
  // Both widths, unless the reader has chosen.
  for (const column of fixed ? [width] : widths) {
    const bytes = await figurePdf(figure, column, date)
    files.push({ path: figurePdfName(id, column), bytes, entry: entry('PDF', columnWidths[column]) })
  }
  return files
}

async function filesOfTable(section: Section, table: ReportTable, date: string): Promise<Listed[]> {
  const { id, caption } = table
  requireFileName(id)
  const svg = standaloneTable(table)
  const wide = Math.round(tableMillimetres(svg) * 10) / 10
  const entry = (kind: string): Field[] => [kind, section.id, caption, caption, wide]
  return [
    { ...textFile(`${id}.svg`, svg), entry: entry('table drawing') },
    { path: `${id}.pdf`, bytes: await tablePdf(table, date), entry: entry('table PDF') },
  ]
}

function requireFileName(id: string): void {
  if (!/^[\w-]+$/.test(id)) throw new Error(`the id "${id}" is no file name`)
}
