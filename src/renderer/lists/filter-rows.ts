/** The rows that a search text and the chosen values leave. */

export interface Filter {
  readonly text: string
  /** By field; absent or empty: any. */
  readonly chosen: Readonly<Record<string, string>>
}

export const noFilter: Filter = { text: '', chosen: {} }

/** @param textOf what the search looks through; every word must be found */
export function filterRows<Row>(
  rows: readonly Row[],
  filter: Filter,
  textOf: (row: Row) => string,
  fieldOf: (row: Row, field: string) => string,
): readonly Row[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean)
  const chosen = Object.entries(filter.chosen).filter(([, value]) => value !== '')
  if (words.length === 0 && chosen.length === 0) return rows
  return rows.filter((row) => {
    if (chosen.some(([field, value]) => fieldOf(row, field) !== value)) return false
    const text = words.length === 0 ? '' : textOf(row).toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

/** The values that occur, sorted; a filter with one value alone is no choice. */
export function valuesOf<Row>(
  rows: readonly Row[],
  field: string,
  fieldOf: (row: Row, field: string) => string,
): readonly string[] {
  return [...new Set(rows.map((row) => fieldOf(row, field)))].filter(Boolean).toSorted()
}
