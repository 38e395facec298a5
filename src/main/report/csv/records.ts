/**
 * Comma-separated values after RFC 4180: CRLF, a field quoted where it must be. Text that a spreadsheet would run as a
 * formula is made inert by an apostrophe before it; numbers stay numbers, exactly as the program holds them.
 */

/** null: never measured. A number that is not finite is written by name, as statistics programs read it. */
export type Field = string | number | null

/** ASCII and full-width signs that begin a formula, and the controls that let one begin after them. */
const formula = /^[\t\r\n ]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/

export function csvText(head: readonly string[], rows: readonly (readonly Field[])[]): string {
  return [head, ...rows].map((row) => `${row.map(csvField).join(',')}\r\n`).join('')
}

export function csvField(field: Field): string {
  if (field === null) return ''
  if (typeof field === 'number') return Number.isNaN(field) ? 'NaN' : String(field)
  // Unpaired halves have no UTF-8 form; a zero byte ends the file for many readers.
  const valid = field.replace(/\p{Cs}/gu, '\ufffd').replaceAll('\u0000', '\ufffd')
  const safe = inert(valid)
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Text that a spreadsheet shows and does not run, from a file or the clipboard. */
export const inert = (text: string): string => (formula.test(text) ? `'${text}` : text)
