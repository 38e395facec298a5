/** A PDF being written: embedded fonts, measured text, the document's own dates. The same calls give the same bytes. */
import PDFDocument from 'pdfkit'
import svgToPdf from 'svg-to-pdfkit'
import { type FontName, fontFile, fontNames } from '../fonts.ts'
import { showCharacters } from './characters.ts'

/** Points in a millimetre. */
export const mm = 72 / 25.4

export interface PaperFacts {
  readonly title: string
  readonly subject: string
  /** ISO time that stands for the file's creation. */
  readonly date: string
}

export interface Paper {
  readonly doc: PDFKit.PDFDocument
  /** Points a line of text takes; the text must have passed `shown`. */
  readonly width: (font: FontName, size: number, text: string) => number
  /** Distance from one line's top to the next. */
  readonly lineHeight: (size: number) => number
  /** The text with every character the font cannot show written out as its code point. */
  readonly shown: (font: FontName, text: string) => string
  readonly line: (text: string, x: number, y: number, style: TextStyle) => void
  /** Draws an SVG of plain attributes, scaled to the width. */
  readonly drawing: (svg: string, x: number, y: number, width: number, height: number) => void
  /** Code points written out so far. */
  readonly missing: ReadonlySet<number>
  readonly bytes: () => Promise<Uint8Array>
}

export interface TextStyle {
  readonly font: FontName
  readonly size: number
  readonly colour: string
}

/** A font file as pdfkit has read it; another document takes it as it is. */
interface ReadFont {
  hasGlyphForCodePoint(codePoint: number): boolean
}

/** Reading a font takes far longer than drawing a figure with it. */
const readFonts = new Map<FontName, ReadFont>()

/** @param size width and height of the pages in points */
export function openPaper(facts: PaperFacts, size: readonly [number, number]): Paper {
  const date = new Date(facts.date)
  const doc = new PDFDocument({
    size: [...size],
    margin: 0,
    bufferPages: true,
    pdfVersion: '1.7',
    lang: 'en',
    displayTitle: true,
    // No default font: it would stand in the file by name only.
    font: '',
    info: {
      Title: oneLine(facts.title),
      Subject: oneLine(facts.subject),
      Author: 'Recompense',
      Creator: 'Recompense',
      Producer: 'Recompense',
      CreationDate: date,
      ModDate: date,
    },
  })
  const chunks: Uint8Array[] = []
  const ended = new Promise<Uint8Array>((resolve, reject) => {
    doc.on('data', (chunk: Uint8Array) => chunks.push(chunk))
    doc.on('end', () => resolve(Buffer.concat(chunks)))
    doc.on('error', reject)
  })
  for (const name of fontNames) doc.registerFont(name, fontSource(name))
  const has = (name: FontName) => (codePoint: number) => {
    if (!readFonts.has(name)) {
      doc.font(name)
      readFonts.set(name, (doc as unknown as { readonly _font: { readonly font: ReadFont } })._font.font)
    }
    return readFonts.get(name)!.hasGlyphForCodePoint(codePoint)
  }
  const missing = new Set<number>()
  const shown = (font: FontName, text: string) => showCharacters(text, has(font), missing)
  const widths = new Map<string, number>()
  return {
    doc,
    missing,
    shown,
    lineHeight: (points) => points * 1.36,
    width: (font, points, text) => {
      const key = `${font} ${text}`
      let unit = widths.get(key)
      if (unit === undefined) {
        unit = doc.font(font).fontSize(1000).widthOfString(text) / 1000
        widths.set(key, unit)
      }
      return unit * points
    },
    line: (text, x, y, style) => {
      if (text === '') return
      doc.font(style.font).fontSize(style.size).fillColor(style.colour).text(text, x, y, { lineBreak: false })
    },
    drawing: (svg, x, y, width, height) => {
      doc.save()
      svgToPdf(doc as unknown as typeof PDFDocument, shown('body', svg), x, y, {
        width,
        height,
        assumePt: true,
        preserveAspectRatio: 'xMinYMin meet',
        fontCallback: (_family, bold) => (bold ? 'bold' : 'body'),
      })
      doc.restore()
    },
    bytes: () => {
      doc.end()
      return ended
    },
  }
}

function fontSource(name: FontName): PDFKit.Mixins.PDFFontSource {
  // The types know files and bytes only; pdfkit takes a font it has read as well.
  return (readFonts.get(name) as PDFKit.Mixins.PDFFontSource | undefined) ?? fontFile(name)
}

/** Facts of a file have no lines, controls or unpaired halves. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}]+/gu, ' ')
}
