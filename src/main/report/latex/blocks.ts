/** Section blocks as LaTeX. All text from data passes through the writer's escaping. */
import { roleShapes } from '../role-shapes.ts'
import { type Block, type Exchange, type Figure, printedCaption } from '../section.ts'
import { columnWidths, drawingSize, type FigureWidth, figurePdfName, styledFigure } from '../svg/standalone.ts'
import type { TexWriter } from './escape.ts'
import { cellOf, tableRoom, texTable } from './table.ts'

/** Millimetres the first of these blocks needs on the page of the heading above it. */
export function texRoom(blocks: readonly Block[]): number {
  const [first, ...rest] = blocks
  if (first === undefined) return 0
  switch (first.kind) {
    case 'table':
      return tableRoom(first.table)
    case 'tables':
      return first.tables[0] === undefined ? 0 : tableRoom(first.tables[0])
    case 'figures':
      return figureRoom(first.figures.slice(0, first.width === 'narrow' ? 2 : 1), first.width)
    case 'exchanges':
      return 36
    case 'subheading':
      return 14 + texRoom(rest)
    case 'highlights':
      return 26
    case 'text':
    case 'list':
    case 'details':
      return 14
  }
}

function figureRoom(figures: readonly Figure[], width: FigureWidth): number {
  const heights = figures.map((figure) => {
    const size = drawingSize(styledFigure(figure, width))
    return (size.height / size.width) * columnWidths[width]
  })
  return Math.ceil(Math.max(0, ...heights) + 18)
}

/** @param following what comes after, so that a heading can keep with it */
export function texBlock(tex: TexWriter, block: Block, following: readonly Block[], figureFolder: string): string {
  switch (block.kind) {
    case 'text':
      return block.tone === undefined ? `${tex.text(block.text)}\n` : `\\${block.tone}{${tex.text(block.text)}}\n`
    case 'subheading':
      return `\\needroom{${texRoom([block, ...following])}mm}
\\subsection*{${tex.text(block.text)}}\n`
    case 'list':
      return `\\begin{itemize}\n${block.items.map((item) => `\\item ${tex.text(item)}`).join('\n')}\n\\end{itemize}\n`
    case 'table':
      return `${texTable(tex, block.table)}\n`
    case 'tables':
      return block.tables.map((table) => `${texTable(tex, table)}\n`).join('\n')
    case 'figures':
      return texFigures(tex, block.figures, block.width, figureFolder)
    case 'details':
      return `\\note{${tex.text(`Not printed: ${block.summary}. It is in the HTML report, its tables in the CSV files.`)}}\n`
    case 'exchanges':
      return block.exchanges.map((exchange) => texExchange(tex, exchange)).join('\n')
    case 'highlights':
      return texHighlights(tex, block.items)
  }
}

/** Where they are read, not floated: captions number them. Two narrow ones share a line. */
function texFigures(tex: TexWriter, figures: readonly Figure[], width: FigureWidth, folder: string): string {
  const boxes = figures.map((figure) => {
    return [
      `\\begin{minipage}[t]{${columnWidths[width]}mm}\\vspace{0pt}%`,
      `\\includegraphics[width=\\linewidth]{${folder}/${figurePdfName(figure.id, width)}}%`,
      `\\captionof{figure}{${tex.text(printedCaption(figure))}}%`,
      `\\label{${figure.id}}%`,
      '\\end{minipage}',
    ].join('\n')
  })
  const each = width === 'narrow' ? 2 : 1
  const rows = Array.from({ length: Math.ceil(boxes.length / each) }, (_, row) =>
    boxes.slice(row * each, row * each + each).join('\\hfill\n'),
  )
  return rows.map((row) => `\\par\\medskip\\noindent\n${row}\\par\n`).join('\n')
}

function texExchange(tex: TexWriter, exchange: Exchange): string {
  const responses = exchange.responses.map((response) => {
    const said = response.text === '' ? '\\textcolor{muted}{(empty)}' : tex.text(response.text)
    const reward = `\\textcolor{reward}{${tex.text(`${roleShapes.reward} learned reward ${response.reward.text}`)}}`
    const rubric = `${tex.text(`${roleShapes.rubric} rubric`)} ${cellOf(tex, response.rubric)}`
    return `\\response{${tex.text(response.name)}}{${said}}{${reward}\\quad ${rubric}\\quad ${tex.text(response.finish)}}`
  })
  return `\\exchange{${tex.text(exchange.heading)}}{${tex.text(exchange.prompt)}}\n${responses.join('\n')}\n`
}

type Highlights = Extract<Block, { readonly kind: 'highlights' }>['items']

function texHighlights(tex: TexWriter, items: Highlights): string {
  const boxes = items.map((item) => {
    const colour = item.role === undefined || item.role === 'neutral' ? 'ink' : item.role
    return `\\highlight{${colour}}{${tex.text(item.label)}}{${tex.text(item.figure)}}{${tex.text(item.note)}}`
  })
  const rows = Array.from({ length: Math.ceil(boxes.length / 4) }, (_, row) =>
    boxes.slice(row * 4, row * 4 + 4).join('\\hfill\n'),
  )
  return rows.map((row) => `\\par\\medskip\\noindent\n${row}\\par\\medskip\n`).join('\n')
}
