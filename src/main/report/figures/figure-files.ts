/**
 * Every figure on its own: an SVG with its styles in it, a PDF for one column and for both (or the chosen one), and the
 * numbers it draws.
 * The LaTeX report includes the same PDFs, so that the folder is the same whichever of the two formats was asked for.
 */
import { chartRecords } from '../csv/chart-records.ts'
import { csvText, type Field } from '../csv/records.ts'
import { type ReportFile, textFile } from '../files/report-file.ts'
import { figurePdf } from '../pdf/figure-pdf.ts'
import type { Section } from '../section.ts'
import { columnWidths, type FigureWidth, figurePdfName, standaloneSvg } from '../svg/standalone.ts'
import { type FigureItem, figuresOf } from '../walk.ts'

const widths = ['narrow', 'wide'] as const

/** Both, unless the reader has chosen. */
const columnsOf = (width: FigureWidth, fixed: boolean): readonly FigureWidth[] => (fixed ? [width] : widths)

/** @param date ISO time that stands for the PDFs' creation */
export async function figureFiles(sections: readonly Section[], folder: string, date: string): Promise<ReportFile[]> {
  const items = figuresOf(sections)
  const rows = items.flatMap(indexRows)
  const index = csvText(['file', 'kind', 'section', 'title', 'caption', 'width in mm'], rows)
  const files: ReportFile[] = [textFile(`${folder}/index.csv`, index)]
  for (const { figure, width, fixed } of items) {
    if (!/^[\w-]+$/.test(figure.id)) throw new Error(`the figure id "${figure.id}" is no file name`)
    const { head, rows: records } = chartRecords(figure.chart)
    files.push(
      textFile(`${folder}/${figure.id}.svg`, standaloneSvg(figure, width)),
      textFile(`${folder}/${figure.id}.csv`, csvText(head, records)),
    )
    for (const column of columnsOf(width, fixed))
      files.push({
        path: `${folder}/${figurePdfName(figure.id, column)}`,
        bytes: await figurePdf(figure, column, date),
      })
  }
  return files
}

function indexRows({ section, figure, width, fixed }: FigureItem): Field[][] {
  const row = (file: string, kind: string, millimetres: number | null): Field[] => [
    file,
    kind,
    section.id,
    figure.title,
    figure.caption,
    millimetres,
  ]
  return [
    row(`${figure.id}.svg`, 'drawing', columnWidths[width]),
    row(`${figure.id}.csv`, 'data', null),
    ...columnsOf(width, fixed).map((column) => row(figurePdfName(figure.id, column), 'PDF', columnWidths[column])),
  ]
}
