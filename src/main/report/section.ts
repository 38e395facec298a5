/**
 * The report as a reader meets it, before any file format: sections of blocks. HTML renders every block; other formats
 * take what they can carry (tables for csv, charts for svg), so that a new format is a new reader of this model.
 */
import { change, decimal, integer, percent, significant } from './number-text.ts'
import type { Chart, Role } from './svg/chart.ts'

/** A number as written for readers, with the exact value kept beside it. */
export interface NumberCell {
  readonly kind: 'number'
  readonly value: number | null
  readonly text: string
}

/** A verdict: told by its word, coloured besides. */
export interface VerdictCell {
  readonly kind: 'verdict'
  readonly good: boolean
  readonly text: string
}

export interface CodeCell {
  readonly kind: 'code'
  readonly text: string
}

export type Cell = string | NumberCell | VerdictCell | CodeCell

export interface Column {
  readonly label: string
  readonly numeric?: boolean
  /** Gives the heading the role's colour and shape. */
  readonly role?: Role
}

export interface Row {
  readonly cells: readonly Cell[]
  /** Set apart: a total, a setting that differs from the preset. */
  readonly marked?: boolean
}

export interface Table {
  readonly caption: string
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
}

/** A table of the report itself: it can be named, in an address, a file or a list of captions. */
export interface ReportTable extends Table {
  /** `table-` and plain words; unique in the report. Also the page's anchor and the CSV file's name. */
  readonly id: string
}

export interface Figure {
  /** `figure-` and plain words; unique in the report. Also the page's anchor and the files' names. */
  readonly id: string
  readonly title: string
  readonly caption: string
  /** The caption is the reader's own and says all: no title is put before it in print. */
  readonly ownCaption?: true
  readonly chart: Chart
  /** Where the numbers stand in report.json: a path from `sections`. */
  readonly dataKey: string
  readonly data?: ReportTable
}

export interface Exchange {
  readonly heading: string
  readonly prompt: string
  readonly responses: readonly {
    readonly name: string
    readonly text: string
    readonly finish: string
    readonly reward: NumberCell
    readonly rubric: VerdictCell
  }[]
}

export type Block =
  | { readonly kind: 'text'; readonly text: string; readonly tone?: 'lead' | 'note' }
  | { readonly kind: 'subheading'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | {
      readonly kind: 'figures'
      readonly figures: readonly Figure[]
      readonly width: 'narrow' | 'wide'
      /** The reader asked for this width: it is kept in millimetres everywhere. */
      readonly fixed?: true
    }
  | { readonly kind: 'table'; readonly table: ReportTable }
  /** Small tables that may stand side by side. */
  | { readonly kind: 'tables'; readonly tables: readonly ReportTable[] }
  /** One click below; raw data that a printed page leaves out. */
  | { readonly kind: 'details'; readonly summary: string; readonly blocks: readonly Block[] }
  /** `id` as a table's: it names the file of texts. */
  | { readonly kind: 'exchanges'; readonly id: string; readonly exchanges: readonly Exchange[] }
  /** The few numbers that answer the question, large. */
  | {
      readonly kind: 'highlights'
      readonly items: readonly {
        readonly label: string
        readonly figure: string
        readonly note: string
        readonly role?: Role
      }[]
    }

/** A figure's caption where nothing else names the figure: print. */
export function printedCaption({ title, caption, ownCaption }: Figure): string {
  return ownCaption === true ? caption : `${title}${/[.?!]$/.test(title) ? '' : '.'} ${caption}`
}

export interface Section {
  readonly id: string
  readonly title: string
  /** The question it answers, as a researcher would ask it. */
  readonly question: string
  readonly blocks: readonly Block[]
  /** The same content as plain data, for report.json. May hold NaN or infinities; the writer removes and lists them. */
  readonly data: unknown
}

function numberCell(value: number | null | undefined, text: string): NumberCell {
  return {
    kind: 'number',
    value: value === undefined || value === null || !Number.isFinite(value) ? null : value,
    text,
  }
}

export const measured = (value: number | null | undefined, digits = 3) => numberCell(value, decimal(value, digits))
export const precise = (value: number | null | undefined) => numberCell(value, significant(value))
export const counted = (value: number | null | undefined) => numberCell(value, integer(value))
export const changed = (value: number | null | undefined, digits = 3) => numberCell(value, change(value, digits))
export const shared = (value: number | null | undefined) => numberCell(value, percent(value))
export const written = numberCell

export function verdict(good: boolean, text: string): VerdictCell {
  return { kind: 'verdict', good, text }
}

export function code(text: string): CodeCell {
  return { kind: 'code', text }
}
