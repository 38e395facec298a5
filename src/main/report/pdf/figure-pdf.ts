/** One figure or table as a PDF of exactly its size: for a paper's column, or both columns. */
import type { Figure, ReportTable } from '../section.ts'
import {
  columnWidths,
  drawingSize,
  type FigureWidth,
  styledFigure,
  styledTable,
  tableMillimetres,
} from '../svg/standalone.ts'
import { mm, openPaper, type PaperFacts } from './paper.ts'

/** @param date ISO time that stands for the file's creation */
export function figurePdf(figure: Figure, width: FigureWidth, date: string): Promise<Uint8Array> {
  return pageOf(styledFigure(figure, width), columnWidths[width], {
    title: figure.title,
    subject: figure.caption,
    date,
  })
}

export function tablePdf(table: ReportTable, date: string): Promise<Uint8Array> {
  const svg = styledTable(table)
  return pageOf(svg, tableMillimetres(svg), { title: table.caption, subject: table.caption, date })
}

function pageOf(svg: string, millimetres: number, facts: PaperFacts): Promise<Uint8Array> {
  const size = drawingSize(svg)
  const wide = millimetres * mm
  const tall = (wide / size.width) * size.height
  const paper = openPaper(facts, [wide, tall])
  paper.drawing(svg, 0, 0, wide, tall)
  return paper.bytes()
}
