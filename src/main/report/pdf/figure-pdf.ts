/** One figure as a PDF of exactly its size: for a paper's column, or both columns. */
import type { Figure } from '../section.ts'
import { columnWidths, drawingSize, type FigureWidth, styledFigure } from '../svg/standalone.ts'
import { mm, openPaper } from './paper.ts'

/** @param date ISO time that stands for the file's creation */
export function figurePdf(figure: Figure, width: FigureWidth, date: string): Promise<Uint8Array> {
  const svg = styledFigure(figure, width)
  const size = drawingSize(svg)
  const wide = columnWidths[width] * mm
  const tall = (wide / size.width) * size.height
  const paper = openPaper({ title: figure.title, subject: figure.caption, date }, [wide, tall])
  paper.drawing(svg, 0, 0, wide, tall)
  return paper.bytes()
}
