/** The place on the page where the next thing goes, and the pages it fills. */
import { lightStyle } from '../svg/light-style.ts'
import { mm, type Paper, type TextStyle } from './paper.ts'

export const a4 = [210 * mm, 297 * mm] as const
/** The text block: as wide as a figure over both columns. */
export const block = { left: 17.5 * mm, width: 175 * mm, top: 23 * mm, bottom: 297 * mm - 20 * mm } as const

export interface Flow {
  readonly paper: Paper
  /** Points from the top of the page. */
  y: number
  /** Running numbers of what has a caption. */
  figures: number
  tables: number
}

export function newFlow(paper: Paper): Flow {
  return { paper, y: block.top, figures: 0, tables: 0 }
}

export function nextPage(flow: Flow): void {
  flow.paper.doc.addPage({ size: [...a4], margin: 0 })
  flow.y = block.top
}

export const pageHeight = block.bottom - block.top

/** Begins a page where less than `height` is left. What is taller than any page begins where it can. */
export function need(flow: Flow, height: number): void {
  if (flow.y > block.top && flow.y + Math.min(height, pageHeight) > block.bottom) nextPage(flow)
}

/** Space between two things; none at the top of a page. */
export function space(flow: Flow, height: number): void {
  if (flow.y > block.top) flow.y += height
}

/** Lines one below the other, over as many pages as they need; never one line alone on either side of a break. */
export function writeLines(flow: Flow, lines: readonly string[], style: TextStyle, left: number = block.left): void {
  const height = flow.paper.lineHeight(style.size)
  lines.forEach((line, index) => {
    const remaining = lines.length - index
    const together = index === 0 ? Math.min(2, remaining) : remaining === 2 ? 2 : 1
    need(flow, together * height)
    flow.paper.line(line, left, flow.y, style)
    flow.y += height
  })
}

export const colour = (name: string): string => lightStyle().colour(name)

export const styles = {
  body: { font: 'body', size: 9, colour: colour('ink') },
  lead: { font: 'body', size: 11.5, colour: colour('ink') },
  note: { font: 'body', size: 8, colour: colour('muted') },
  question: { font: 'italic', size: 9.5, colour: colour('muted') },
  section: { font: 'bold', size: 14, colour: colour('ink') },
  subheading: { font: 'bold', size: 10.5, colour: colour('ink') },
  caption: { font: 'body', size: 8, colour: colour('ink') },
  cell: { font: 'body', size: 7.6, colour: colour('ink') },
  head: { font: 'bold', size: 7.6, colour: colour('ink') },
} as const satisfies Readonly<Record<string, TextStyle>>
