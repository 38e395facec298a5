/** Text broken into lines that fit a width: at spaces, or inside a word that is wider than the line. */
import type { FontName } from '../fonts.ts'
import type { Paper } from './paper.ts'

/** Text from data as it stands in its lines: at least one, empty where the text is. */
export function wrap(paper: Paper, font: FontName, size: number, text: string, width: number): string[] {
  return text.split(/\r\n|\r|\n/).flatMap((paragraph) => {
    const shown = paper.shown(font, spaced(paragraph))
    return wrapParagraph(paper, font, size, shown, width)
  })
}

/** A tab as the spaces that stand for it. */
export function spaced(text: string): string {
  return text.replaceAll('\t', '    ')
}

function wrapParagraph(paper: Paper, font: FontName, size: number, text: string, width: number): string[] {
  const space = paper.width(font, size, ' ')
  const lines: string[] = []
  let line = ''
  let used = 0
  for (const word of text.split(' ')) {
    const wide = paper.width(font, size, word)
    if (line !== '' && used + space + wide > width) {
      lines.push(line)
      line = ''
      used = 0
    }
    if (line === '' && wide > width) {
      const pieces = brokenWord(paper, font, size, word, width)
      lines.push(...pieces.slice(0, -1))
      line = pieces.at(-1) ?? ''
      used = paper.width(font, size, line)
      continue
    }
    used += line === '' ? wide : space + wide
    line = line === '' ? word : `${line} ${word}`
  }
  lines.push(line)
  return lines
}

/** After a slash, hyphen, underscore or colon where one is in the last third of the line, anywhere otherwise. */
function brokenWord(paper: Paper, font: FontName, size: number, word: string, width: number): string[] {
  const pieces: string[] = []
  let piece: string[] = []
  let used = 0
  for (const character of word) {
    const wide = paper.width(font, size, character)
    if (piece.length > 0 && used + wide > width) {
      const end = piece.findLastIndex((one) => '/-_:'.includes(one)) + 1
      const cut = end > piece.length * (2 / 3) ? end : piece.length
      pieces.push(piece.slice(0, cut).join(''))
      piece = piece.slice(cut)
      used = piece.reduce((sum, one) => sum + paper.width(font, size, one), 0)
    }
    piece.push(character)
    used += wide
  }
  pieces.push(piece.join(''))
  return pieces
}
