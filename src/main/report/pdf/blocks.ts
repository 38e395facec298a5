/** Section blocks on paper. A heading always stands with the beginning of what it heads. */
import type { Block } from '../section.ts'
import { exchangeStart, writeExchange } from './exchange.ts'
import { figuresStart, writeFigures } from './figure.ts'
import { block as area, colour, type Flow, need, space, styles, writeLines } from './flow.ts'
import { wrap } from './lines.ts'
import type { Paper, TextStyle } from './paper.ts'
import { tableStart, tablesStart, writeTable, writeTables } from './table.ts'

export function writeBlocks(flow: Flow, blocks: readonly Block[]): void {
  blocks.forEach((block, index) => {
    writeBlock(flow, block, blocks.slice(index + 1))
  })
}

function writeBlock(flow: Flow, block: Block, following: readonly Block[]): void {
  const { paper } = flow
  switch (block.kind) {
    case 'text': {
      const style = textStyle(block.tone)
      space(flow, 5)
      writeLines(flow, wrap(paper, style.font, style.size, block.text, area.width), style)
      return
    }
    case 'subheading': {
      space(flow, 13)
      const lines = wrap(paper, styles.subheading.font, styles.subheading.size, block.text, area.width)
      need(flow, lines.length * paper.lineHeight(styles.subheading.size) + blocksStart(paper, following))
      writeLines(flow, lines, styles.subheading)
      flow.y += 1
      return
    }
    case 'list':
      space(flow, 4)
      for (const item of block.items) writeItem(flow, item)
      return
    case 'table':
      writeTable(flow, block.table)
      return
    case 'tables':
      writeTables(flow, block.tables)
      return
    case 'figures':
      writeFigures(flow, block.figures, block.width)
      return
    case 'details': {
      space(flow, 5)
      const text = `Not printed: ${block.summary}. It is in the HTML report, its tables in the CSV files.`
      writeLines(flow, wrap(paper, 'body', styles.note.size, text, area.width), styles.note)
      return
    }
    case 'exchanges':
      for (const exchange of block.exchanges) writeExchange(flow, exchange)
      return
    case 'highlights':
      writeHighlights(flow, block.items)
  }
}

/** Points the first of these blocks needs to begin. */
export function blocksStart(paper: Paper, blocks: readonly Block[]): number {
  const [first, ...rest] = blocks
  if (first === undefined) return 0
  switch (first.kind) {
    case 'text': {
      const style = textStyle(first.tone)
      const lines = wrap(paper, style.font, style.size, first.text, area.width).length
      return 5 + Math.min(lines, 3) * paper.lineHeight(style.size)
    }
    case 'subheading':
      return 13 + paper.lineHeight(styles.subheading.size) + blocksStart(paper, rest)
    case 'table':
      return 9 + tableStart(paper, first.table)
    case 'tables':
      return 9 + tablesStart(paper, first.tables)
    case 'figures':
      return figuresStart(paper, first.figures, first.width)
    case 'exchanges':
      return first.exchanges[0] === undefined ? 0 : 8 + exchangeStart(paper, first.exchanges[0])
    case 'highlights':
      return 70
    case 'list':
    case 'details':
      return 30
  }
}

function textStyle(tone: 'lead' | 'note' | undefined): TextStyle {
  return tone === undefined ? styles.body : styles[tone]
}

function writeItem(flow: Flow, item: string): void {
  const { paper } = flow
  const lines = wrap(paper, 'body', styles.body.size, item, area.width - 12)
  need(flow, Math.min(2, lines.length) * paper.lineHeight(styles.body.size))
  paper.line('•', area.left + 2, flow.y, styles.body)
  writeLines(flow, lines, styles.body, area.left + 12)
  flow.y += 1.5
}

type Highlight = Extract<Block, { readonly kind: 'highlights' }>['items'][number]

/** Up to four in a row, each under a rule of its role's colour. */
function writeHighlights(flow: Flow, items: readonly Highlight[]): void {
  const { paper } = flow
  const gap = 12
  for (let start = 0; start < items.length; start += 4) {
    const row = items.slice(start, start + 4)
    const width = (area.width - gap * 3) / 4
    space(flow, 9)
    need(flow, 66)
    const top = flow.y
    let end = top
    row.forEach((item, index) => {
      const left = area.left + index * (width + gap)
      const ink = colour(item.role === undefined || item.role === 'neutral' ? 'ink' : item.role)
      paper.doc.rect(left, top, width, 1.6).fill(ink)
      let y = top + 5
      const write = (text: string, style: TextStyle) => {
        for (const line of wrap(paper, style.font, style.size, text, width)) {
          paper.line(line, left, y, style)
          y += paper.lineHeight(style.size)
        }
      }
      write(item.label, { ...styles.note, size: 7.6 })
      write(item.figure, { font: 'bold', size: 17, colour: ink })
      write(item.note, { ...styles.note, size: 7.6 })
      end = Math.max(end, y)
    })
    flow.y = end + 3
  }
}
