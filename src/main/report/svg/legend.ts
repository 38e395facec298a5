/** A legend of shapes and names, set in rows that never exceed the width. */
import { element, textAt, textWidth } from './element.ts'
import { smallTextSize } from './marks.ts'

export interface LegendEntry {
  readonly name: string
  /** Draws the entry's sample centred on (x, y), at most 22 wide. */
  readonly sample: (x: number, y: number) => string
}

const rowHeight = 18
const sampleWidth = 26
const spacing = 18

/** @returns the drawn legend and the height it takes; a single unnamed series needs none and gets none */
export function legend(
  entries: readonly LegendEntry[],
  left: number,
  top: number,
  width: number,
): { readonly markup: string; readonly height: number } {
  if (entries.length === 0) return { markup: '', height: 0 }
  const parts: string[] = []
  let x = left
  let y = top
  for (const entry of entries) {
    const needed = sampleWidth + textWidth(entry.name, smallTextSize)
    if (x > left && x + needed > left + width) {
      x = left
      y += rowHeight
    }
    parts.push(entry.sample(x + 10, y + rowHeight / 2))
    parts.push(textAt(x + sampleWidth, y + rowHeight / 2 + 4, entry.name, { className: 'small' }))
    x += needed + spacing
  }
  return { markup: element('g', { class: 'legend' }, ...parts), height: y + rowHeight + 5 - top }
}
