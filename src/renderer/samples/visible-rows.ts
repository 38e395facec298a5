/** Which rows of a long table are in view, with a few to spare on both sides. */
const spare = 8

export function visibleRows(
  rows: number,
  rowHeight: number,
  scrollTop: number,
  height: number,
): { readonly from: number; readonly to: number } {
  const first = Math.min(Math.max(0, rows - 1), Math.floor(scrollTop / rowHeight))
  const from = Math.max(0, first - spare)
  return { from, to: Math.min(rows, first + Math.ceil(height / rowHeight) + spare) }
}
