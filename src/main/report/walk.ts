/** Everything of one kind in a report, in reading order, wherever in the blocks it stands. */
import type { Block, Exchange, Figure, ReportTable, Section } from './section.ts'

export type Item =
  | { readonly kind: 'table'; readonly section: Section; readonly table: ReportTable; readonly printed: boolean }
  | {
      readonly kind: 'figure'
      readonly section: Section
      readonly figure: Figure
      readonly width: 'narrow' | 'wide'
      /** The reader's choice of width, which every file keeps. */
      readonly fixed: boolean
    }
  | {
      readonly kind: 'exchanges'
      readonly section: Section
      readonly id: string
      readonly exchanges: readonly Exchange[]
    }

export function itemsOf(sections: readonly Section[]): Item[] {
  return sections.flatMap((section) => section.blocks.flatMap((block) => itemsIn(section, block, true)))
}

export type FigureItem = Extract<Item, { readonly kind: 'figure' }>

export function figuresOf(sections: readonly Section[]): FigureItem[] {
  return itemsOf(sections).filter((item): item is FigureItem => item.kind === 'figure')
}

/** @param printed false below what a printed page leaves out */
function itemsIn(section: Section, block: Block, printed: boolean): Item[] {
  switch (block.kind) {
    case 'table':
      return [{ kind: 'table', section, table: block.table, printed }]
    case 'tables':
      return block.tables.map((table) => ({ kind: 'table', section, table, printed }))
    case 'figures':
      return block.figures.map((figure) => ({
        kind: 'figure',
        section,
        figure,
        width: block.width,
        fixed: block.fixed === true,
      }))
    case 'exchanges':
      return [{ kind: 'exchanges', section, id: block.id, exchanges: block.exchanges }]
    case 'details':
      return block.blocks.flatMap((inner) => itemsIn(section, inner, false))
    case 'text':
    case 'subheading':
    case 'list':
    case 'highlights':
      return []
  }
}
