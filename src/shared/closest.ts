/** The nearest known word to a mistyped one, for "did you mean". */

/** Undefined where nothing is near: more than a third of the letters would have to change. */
export function closest(given: string, known: readonly string[]): string | undefined {
  let best: { word: string; distance: number } | undefined
  for (const word of known) {
    const distance = editDistance(given, word)
    if (best === undefined || distance < best.distance) best = { word, distance }
  }
  if (best === undefined) return undefined
  return best.distance <= Math.max(2, Math.ceil(best.word.length / 3)) ? best.word : undefined
}

/** Levenshtein distance, one row of the table at a time. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
