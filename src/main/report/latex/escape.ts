/**
 * Text from data as LaTeX that sets exactly that text and does nothing else. Every character is either a letter, a digit
 * or a mark that means nothing to TeX, or is replaced by a command from a fixed list; what has no command is written out
 * by code point, \charcode{05E9}. Only ASCII comes out, so that no input encoding matters.
 */
import { accents, symbols } from './symbols.ts'

const special: ReadonlyMap<string, string> = new Map([
  ['\\', '\\textbackslash{}'],
  ['{', '\\{'],
  ['}', '\\}'],
  ['$', '\\$'],
  ['&', '\\&'],
  ['#', '\\#'],
  ['%', '\\%'],
  ['_', '\\_'],
  ['^', '\\textasciicircum{}'],
  ['~', '\\textasciitilde{}'],
  ['<', '\\textless{}'],
  ['>', '\\textgreater{}'],
  ['|', '\\textbar{}'],
  ['"', '\\straightquote{}'],
  ['`', '\\`{}'],
  // Pairs of these are ligatures.
  ["'", "'{}"],
  ['-', '-{}'],
  [',', ',{}'],
  // After a row's end or an item these would be read as its option.
  ['[', '{[}'],
  [']', '{]}'],
  ['*', '{*}'],
])

const plain = /^[A-Za-z0-9 .:;!?/()=+@]$/
/** A word longer than this may break after its punctuation, or anywhere in twelves. */
const longWord = 18
const piece = 12

export interface TexWriter {
  readonly text: (text: string) => string
  /** Fixed width, breakable in eights: hashes. */
  readonly code: (text: string) => string
  /** Code points written out so far. */
  readonly missing: ReadonlySet<number>
}

export function texWriter(): TexWriter {
  const missing = new Set<number>()
  const character = (one: string) => texCharacter(one, missing)
  return {
    missing,
    text: (text) =>
      words(text)
        .map((word) => word.map(character).reduce(breakable(word.length), ''))
        .join(''),
    code: (text) =>
      `\\texttt{${glyphs(text)
        .map((one, index) => (index > 0 && index % 8 === 0 ? `\\allowbreak{}${character(one)}` : character(one)))
        .join('')}}`,
  }
}

/** For comments and PDF metadata: letters, digits and a few marks; the rest becomes a question mark. */
export function asciiOnly(text: string): string {
  return text.replace(/[^A-Za-z0-9 .,:;()/+=-]/gu, '?')
}

/** Precomposed where there is one code point for it, so that a letter with its accent is one glyph. */
function glyphs(text: string): string[] {
  return [...text.replace(/\r\n?/g, '\n').normalize('NFC')]
}

/** Words and the spaces between them, each as its glyphs. */
function words(text: string): string[][] {
  return text.split(/( +)/).map(glyphs)
}

function breakable(length: number) {
  let since = 0
  return (sofar: string, next: string): string => {
    if (length <= longWord) return sofar + next
    since += 1
    const mark = /^(?:[/:.=]|-\{\}|\\_|,\{\})$/.test(next)
    if (!mark && since < piece) return sofar + next
    since = 0
    return `${sofar}${next}\\allowbreak{}`
  }
}

function texCharacter(one: string, missing: Set<number>): string {
  if (plain.test(one)) return one
  const known = special.get(one) ?? symbols.get(one)
  if (known !== undefined) return known
  if (one === '\n') return ' \\linemark{} '
  if (one === '\t') return '\\quad{}'
  return accented(one) ?? writtenOut(one, missing)
}

/** One accent over an ASCII letter; dotless where the accent takes the dot's place. */
function accented(one: string): string | null {
  const [letter, accent, ...rest] = [...one.normalize('NFD')]
  if (letter === undefined || accent === undefined || rest.length > 0 || !/^[A-Za-z]$/.test(letter)) return null
  const command = accents.get(accent)
  if (command === undefined) return null
  const base = (letter === 'i' || letter === 'j') && accent !== '\u0327' ? `\\${letter}` : letter
  return `${command}{${base}}`
}

function writtenOut(one: string, missing: Set<number>): string {
  const codePoint = one.codePointAt(0)!
  missing.add(codePoint)
  return `\\charcode{${codePoint.toString(16).toUpperCase().padStart(4, '0')}}`
}
