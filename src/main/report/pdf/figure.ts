/** Figures as vectors, two narrow ones side by side, each whole on its page with its caption. */
import { type Figure, printedCaption } from '../section.ts'
import { columnWidths, drawingSize, type FigureWidth, styledFigure } from '../svg/standalone.ts'
import { block, type Flow, need, pageHeight, space, styles } from './flow.ts'
import { wrap } from './lines.ts'
import { mm, type Paper } from './paper.ts'

interface LaidFigure {
  readonly svg: string
  readonly width: number
  readonly height: number
  readonly caption: readonly string[]
}

export function writeFigures(flow: Flow, figures: readonly Figure[], width: FigureWidth): void {
  for (const row of rowsOf(figures, width)) {
    const laid = row.map((figure) => {
      flow.figures += 1
      return layFigure(flow.paper, figure, width, flow.figures)
    })
    space(flow, 9)
    need(flow, rowHeight(flow.paper, laid))
    laid.forEach((figure, index) => {
      const left = block.left + index * (columnWidths.narrow + 5) * mm
      const tall = Math.max(...laid.map((one) => one.height))
      flow.paper.drawing(figure.svg, left, flow.y, figure.width, figure.height)
      figure.caption.forEach((line, at) => {
        const y = flow.y + tall + 4 + at * flow.paper.lineHeight(styles.caption.size)
        flow.paper.line(line, left, y, styles.caption)
      })
    })
    flow.y += rowHeight(flow.paper, laid)
  }
}

/** Height of the first row, which must stand with the heading above it. */
export function figuresStart(paper: Paper, figures: readonly Figure[], width: FigureWidth): number {
  const first = rowsOf(figures, width)[0] ?? []
  return (
    9 +
    rowHeight(
      paper,
      first.map((figure) => layFigure(paper, figure, width, 1)),
    )
  )
}

function rowsOf(figures: readonly Figure[], width: FigureWidth): Figure[][] {
  const each = width === 'narrow' ? 2 : 1
  return Array.from({ length: Math.ceil(figures.length / each) }, (_, row) =>
    figures.slice(row * each, row * each + each),
  )
}

function layFigure(paper: Paper, figure: Figure, width: FigureWidth, number: number): LaidFigure {
  const svg = styledFigure(figure, width)
  const size = drawingSize(svg)
  const column = columnWidths[width] * mm
  const caption = wrap(paper, 'body', styles.caption.size, `Figure ${number}. ${printedCaption(figure)}`, column)
  const room = pageHeight - caption.length * paper.lineHeight(styles.caption.size) - 20
  const scale = Math.min(column / size.width, room / size.height)
  return { svg, width: size.width * scale, height: size.height * scale, caption }
}

function rowHeight(paper: Paper, laid: readonly LaidFigure[]): number {
  const captions = Math.max(0, ...laid.map((one) => one.caption.length)) * paper.lineHeight(styles.caption.size)
  return Math.max(0, ...laid.map((one) => one.height)) + 4 + captions + 4
}
