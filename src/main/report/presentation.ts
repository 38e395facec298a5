/** How a reader wants the report's figures and tables shown: captions in their own words, one width for every figure. */
import { BadInput } from '../../shared/bad-input.ts'
import { closest } from '../../shared/closest.ts'
import type { Block, Figure, ReportTable, Section } from './section.ts'
import { itemsOf } from './walk.ts'

/** Width presets of journals: one column (85 mm), or both (175 mm). */
export const figureWidthNames = ['single', 'double'] as const
export type FigureWidthName = (typeof figureWidthNames)[number]

export interface Presentation {
  /** By the id of a figure or table; blanks are run together, an empty one is refused. */
  readonly captions?: Readonly<Record<string, string>>
  /** Absent: each figure as wide as it needs. */
  readonly figureWidth?: FigureWidthName
}

/** What can have a caption of its own, and the caption that the report gives it. */
export interface Captioned {
  readonly id: string
  readonly kind: 'figure' | 'table'
  /** A figure's name; a table's caption. */
  readonly title: string
  readonly caption: string
  /** Not in what paper leaves out (raw data, which the page opens on a click). */
  readonly printed: boolean
}

/** The figures and tables of sections, in reading order, each with the numbers' table of a figure after it. */
export function captionedIn(sections: readonly Section[]): Captioned[] {
  const table = ({ id, caption }: ReportTable, printed: boolean): Captioned => ({
    id,
    kind: 'table',
    title: caption,
    caption,
    printed,
  })
  return itemsOf(sections).flatMap((item) => {
    if (item.kind === 'exchanges') return []
    if (item.kind === 'table') return [table(item.table, item.printed)]
    const { id, title, caption, data } = item.figure
    const figure = { id, kind: 'figure', title, caption, printed: true } as const
    return [figure, ...(data === undefined ? [] : [table(data, false)])]
  })
}

/**
 * @param sections the whole report: a caption of a section that is left out is kept, a caption of nothing is refused
 * @throws BadInput naming the first caption that belongs to nothing, or is empty
 */
export function presented(sections: readonly Section[], { captions = {}, figureWidth }: Presentation): Section[] {
  requireCaptions(captions, new Set(captionedIn(sections).map(({ id }) => id)))
  const own = new Map(Object.entries(captions).map(([id, text]) => [id, plain(text)]))
  const width = figureWidth === undefined ? undefined : figureWidth === 'single' ? 'narrow' : 'wide'
  const table = (given: ReportTable): ReportTable => ({ ...given, caption: own.get(given.id) ?? given.caption })
  const figure = (given: Figure): Figure => {
    const caption = own.get(given.id)
    return {
      ...given,
      ...(caption === undefined ? {} : { caption, ownCaption: true }),
      ...(given.data === undefined ? {} : { data: table(given.data) }),
    }
  }
  const shown = (block: Block): Block => {
    switch (block.kind) {
      case 'table':
        return { ...block, table: table(block.table) }
      case 'tables':
        return { ...block, tables: block.tables.map(table) }
      case 'figures':
        return {
          ...block,
          figures: block.figures.map(figure),
          ...(width === undefined ? {} : { width, fixed: true }),
        }
      case 'details':
        return { ...block, blocks: block.blocks.map(shown) }
      default:
        return block
    }
  }
  return sections.map((section) => ({ ...section, blocks: section.blocks.map(shown) }))
}

const plain = (text: string): string => text.replace(/\s+/g, ' ').trim()

function requireCaptions(captions: Readonly<Record<string, string>>, known: ReadonlySet<string>): void {
  for (const [id, text] of Object.entries(captions)) {
    if (!known.has(id)) throw new BadInput('--captions', unknownCaption(id, known))
    if (plain(text) === '') throw new BadInput('--captions', emptyCaption(id))
  }
}

/** The sentence about a caption of nothing. */
export function unknownCaption(id: string, known: ReadonlySet<string>): string {
  const near = closest(id, [...known])
  const hint = near === undefined ? 'report --json lists them' : `did you mean ${near}?`
  return `the report has no figure or table "${id}"; ${hint}`
}

export const emptyCaption = (id: string): string =>
  `the caption of ${id} is empty; leave it out to keep the report’s own`
