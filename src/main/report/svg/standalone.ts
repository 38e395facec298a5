/** A figure or a table outside the page: its styles written into its elements, so that any program draws it as the report does. */
import type { Figure, ReportTable } from '../section.ts'
import { chartWidths, drawChart } from './draw-chart.ts'
import { coordinate, element, escapeMarkup } from './element.ts'
import { lightStyle } from './light-style.ts'
import { drawTable } from './table.ts'

export type FigureWidth = keyof typeof chartWidths

/** Millimetres of a journal's column and of both columns; the drawings' text comes out near 7 points in either. */
export const columnWidths: Readonly<Record<FigureWidth, number>> = { narrow: 85, wide: 175 }

/** The file of a figure's PDF at a width, beside the other figures. */
export function figurePdfName(id: string, width: FigureWidth): string {
  return `${id}-${columnWidths[width]}mm.pdf`
}

/** The figure's drawing with presentation attributes in place of classes. Sizes are the drawing's own units. */
export function styledFigure(figure: Figure, width: FigureWidth): string {
  const identity = { id: figure.id, title: figure.title, description: figure.caption }
  return withAttributes(drawChart(figure.chart, identity, chartWidths[width]))
}

/** A whole file: declared, on white, as wide as its column in print. */
export function standaloneSvg(figure: Figure, width: FigureWidth): string {
  return onPaper(styledFigure(figure, width), columnWidths[width])
}

/** The table's drawing with presentation attributes; its size in the drawing's own units, its text as large as a chart's. */
export function styledTable(table: ReportTable): string {
  return withAttributes(drawTable(table, { id: table.id, title: table.caption, description: table.caption }))
}

export function standaloneTable(table: ReportTable): string {
  const drawn = styledTable(table)
  return onPaper(drawn, tableMillimetres(drawn))
}

/** A table is as wide as it needs, and no wider than two columns. */
export function tableMillimetres(drawn: string): number {
  return Math.min(columnWidths.wide, (drawingSize(drawn).width / chartWidths.wide) * columnWidths.wide)
}

function onPaper(drawn: string, millimetres: number): string {
  const { width: units, height } = drawingSize(drawn)
  const paper = element('rect', { width: units, height, fill: lightStyle().colour('paper') })
  const tall = (millimetres / units) * height
  const sized = drawn.replace(
    / width="[\d.]+" height="[\d.]+"/,
    ` width="${coordinate(millimetres)}mm" height="${coordinate(tall)}mm"`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>\n${sized.replace('</desc>', `</desc>${paper}`)}\n`
}

/** @returns width and height of a drawing in its own units */
export function drawingSize(svg: string): { readonly width: number; readonly height: number } {
  const found = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg)
  if (found === null) throw new Error('a drawing has no viewBox')
  return { width: Number(found[1]), height: Number(found[2]) }
}

/** Text and attribute values hold no bare angle brackets or quotes, so that start tags can be told by their form. */
function withAttributes(svg: string): string {
  return svg.replace(/<([a-z]+)((?: [\w:-]+="[^"]*")*)(\/?)>/g, (_, tag: string, written: string, end: string) => {
    const classes = / class="([^"]*)"/.exec(written)?.[1]?.split(' ') ?? []
    const kept = written.replace(/ class="[^"]*"/, '')
    const styles = [...lightStyle().attributes(tag, classes)]
      .filter(([name]) => !kept.includes(` ${name}="`))
      .map(([name, value]) => ` ${name}="${escapeMarkup(value)}"`)
    return `<${tag}${kept}${styles.join('')}${end}>`
  })
}
