/**
 * A chart or table as a drawing for print: the report's own, in light colours, every style written into its elements so that any
 * program draws it alike. The browser resolves the style sheet; nothing of the screen's theme comes in.
 */
import figureStyle from '../../../../resources/report/figure.css?raw'
import { chartWidths, drawChart } from '../../../main/report/svg/draw-chart.ts'
import { drawTable } from '../../../main/report/svg/table.ts'
import type { Stroke } from '../strokes.ts'
import type { Exportable } from './exportable.ts'

/** Both columns of a journal, in the drawing's units and on paper. */
const width = chartWidths.wide
const widest = 175

export interface Drawing {
  readonly markup: string
  /** In its own units. */
  readonly width: number
  readonly height: number
  /** On paper: a chart fills both columns, a table takes what it needs of them. */
  readonly millimetres: number
}

export function drawingOf(exportable: Exportable): Drawing {
  const host = document.createElement('div')
  host.style.cssText = 'position:fixed;left:-10000px;top:0;width:800px;color-scheme:light'
  document.body.append(host)
  try {
    const root = host.attachShadow({ mode: 'open' })
    root.adoptedStyleSheets = [lightSheet()]
    const { name, title, caption, drawing } = exportable
    const identity = { id: name, title, description: caption }
    // The report's writers escape every text that comes from data.
    root.innerHTML =
      drawing === null ? drawTable(exportable.table(), identity) : drawChart(drawing.chart, identity, width)
    const svg = root.querySelector('svg')!
    if (drawing?.strokes !== undefined) restroke(svg, drawing.strokes)
    for (const element of svg.querySelectorAll<SVGElement>('*')) writeStyle(element)
    writeStyle(svg)
    const { width: wide, height: tall } = svg.viewBox.baseVal
    const millimetres = Math.min(widest, (wide / width) * widest)
    return { markup: new XMLSerializer().serializeToString(svg), width: wide, height: tall, millimetres }
  } finally {
    host.remove()
  }
}

export function svgFile(drawing: Drawing): string {
  const { millimetres } = drawing
  const tall = ((millimetres / drawing.width) * drawing.height).toFixed(2)
  const paper = `<rect width="${drawing.width}" height="${drawing.height}" fill="#ffffff"/>`
  const sized = drawing.markup
    .replace(/ width="[\d.]+" height="[\d.]+"/, ` width="${Number(millimetres.toFixed(2))}mm" height="${tall}mm"`)
    .replace('</desc>', `</desc>${paper}`)
  return `<?xml version="1.0" encoding="UTF-8"?>\n${sized}\n`
}

function lightSheet(): CSSStyleSheet {
  const light = figureStyle.replace(/@media[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}/g, '').replaceAll(':root', ':host')
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(light)
  return sheet
}

/** Runs laid over each other have colours and dashes of their own, in the curves and in the legend. */
function restroke(svg: SVGSVGElement, strokes: readonly Stroke[]): void {
  const curves = [...svg.children].filter((child) => child.tagName === 'g' && !child.classList.contains('legend'))
  const legend = [...(svg.querySelector('.legend')?.children ?? [])]
  strokes.forEach((stroke, index) => {
    const samples = legend.slice(3 * index, 3 * index + 2)
    for (const element of [...(curves.at(index - strokes.length)?.children ?? []), ...samples]) {
      if (!(element instanceof SVGElement)) continue
      element.style.setProperty('--role', stroke.colour)
      if (element.classList.contains('curve')) element.style.strokeDasharray = stroke.dash ?? 'none'
    }
  })
}

const written = [
  ['fill', 'rgb(0, 0, 0)'],
  ['stroke', 'none'],
  ['stroke-width', '1px'],
  ['stroke-dasharray', 'none'],
  ['stroke-opacity', '1'],
  ['stroke-linejoin', 'miter'],
  ['stroke-linecap', 'butt'],
] as const

function writeStyle(element: SVGElement): void {
  const style = getComputedStyle(element)
  for (const [name, usual] of written) {
    const value = style.getPropertyValue(name)
    if (value !== usual) element.setAttribute(name, value.replaceAll('px', ''))
  }
  if (element.tagName === 'text') {
    element.setAttribute('font-family', "'DejaVu Sans Condensed', 'DejaVu Sans', system-ui, sans-serif")
    element.setAttribute('font-size', style.fontSize.replace('px', ''))
    if (style.fontWeight !== '400') element.setAttribute('font-weight', style.fontWeight)
  }
  element.removeAttribute('class')
  element.removeAttribute('style')
}
