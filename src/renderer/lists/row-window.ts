/** Which rows of a long list are drawn: those in view and a margin, so that thousands cost as much as fifty. */

export interface RowWindow {
  readonly first: number
  /** One past the last. */
  readonly end: number
}

const margin = 12

/** @param top pixels of the list above the view; negative while the list begins below its top */
export function rowWindow(rows: number, rowHeight: number, top: number, viewHeight: number): RowWindow {
  const first = Math.max(0, Math.floor(top / rowHeight) - margin)
  const end = Math.min(rows, Math.ceil((top + viewHeight) / rowHeight) + margin)
  return { first: Math.min(first, rows), end: Math.max(end, Math.min(first, rows)) }
}
