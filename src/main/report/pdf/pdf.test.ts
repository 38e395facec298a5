import { inflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { hostileDocument } from '../fixture/hostile.ts'
import { fixtureDocument } from '../fixture/study-document.ts'
import { presented } from '../presentation.ts'
import { reportSections } from '../sections/outline.ts'
import { figuresOf } from '../walk.ts'
import { showCharacters } from './characters.ts'
import { figurePdf } from './figure-pdf.ts'
import { wrap } from './lines.ts'
import { openPaper } from './paper.ts'
import { reportPdf } from './report-pdf.ts'

const document = fixtureDocument()
const sections = reportSections(document)
const bytes = await reportPdf(document, sections)
const raw = Buffer.from(bytes).toString('latin1')

/** Every stream of the file, unpacked, after the bare objects. */
function unpacked(file: Uint8Array): string {
  const buffer = Buffer.from(file)
  const text = buffer.toString('latin1')
  const parts = [text]
  for (const match of text.matchAll(/\/Length (\d+)[^>]*?>>\s*stream\r?\n/g)) {
    const start = match.index + match[0].length
    if (match[0].includes('/Filter /FlateDecode'))
      parts.push(inflateSync(buffer.subarray(start, start + Number(match[1]))).toString('latin1'))
  }
  return parts.join('\n')
}

const pages = (text: string) => text.match(/\/Type \/Page\b(?!s)/g)?.length ?? 0

describe('report.pdf', () => {
  it('embeds every font it names and holds no raster image', () => {
    const text = unpacked(bytes)
    const fonts = text.match(/\/FontFile2 /g) ?? []
    expect(fonts).toHaveLength(text.match(/\/Type \/FontDescriptor/g)!.length)
    expect(fonts.length).toBeGreaterThanOrEqual(4)
    expect(text).not.toMatch(/\/Subtype \/Image|\/Subtype \/Type1\b|Helvetica/)
  })

  it('is A4, of a length a reader can take, with contents, outline and facts', () => {
    expect(pages(raw)).toBeGreaterThan(10)
    expect(pages(raw)).toBeLessThan(30)
    expect(raw).toContain('/MediaBox [0 0 595.275591 841.889764]')
    expect(raw.match(/\/Subtype \/Link/g)).toHaveLength(sections.length)
    expect(raw).toMatch(/\/Type \/Outlines|\/Outlines \d+ 0 R/)
    expect(raw).toContain('<pdf:Producer>Recompense</pdf:Producer>')
    expect(raw).toContain('(D:20261129161312Z)')
    expect(raw).toContain(document.study_id)
  })

  it('has the same bytes for the same document', async () => {
    expect(Buffer.compare(Buffer.from(await reportPdf(document, sections)), Buffer.from(bytes))).toBe(0)
  })

  it('takes any text, and a study that has only begun', async () => {
    const evil = hostileDocument()
    const file = await reportPdf(evil, reportSections(evil))
    expect(pages(Buffer.from(file).toString('latin1'))).toBeGreaterThan(10)
    const begun = { ...document, results: null, runs: [], stages: [], iterations: [], corpus: null, limits: [] }
    expect(pages(Buffer.from(await reportPdf(begun, reportSections(begun))).toString('latin1'))).toBeGreaterThan(1)
  })
})

describe('a figure of its own', () => {
  it.each([
    ['narrow', 85],
    ['wide', 175],
  ] as const)('%s is %d mm wide, in vectors', async (width, millimetres) => {
    for (const { figure } of figuresOf(sections).slice(0, 4)) {
      const text = unpacked(await figurePdf(figure, width, document.created_at))
      const wide = Number(/\/MediaBox \[0 0 ([\d.]+)/.exec(text)![1])
      expect((wide / 72) * 25.4).toBeCloseTo(millimetres, 3)
      expect(text).toContain('/FontFile2 ')
      expect(text).not.toMatch(/\/Subtype \/Image|Helvetica/)
      expect(pages(text)).toBe(1)
    }
  })
})

it.each([
  ['single', 85, 390],
  ['double', 175, 800],
] as const)('a %s column is %d mm for every figure of report.pdf', async (figureWidth, millimetres, units) => {
  const text = unpacked(await reportPdf(document, presented(sections, { figureWidth })))
  // Each drawing is scaled from its own units to its width.
  const scales = [...text.matchAll(/^([\d.]+) 0 0 ([\d.]+) [\d.-]+ [\d.-]+ cm$/gm)].map((match) => Number(match[1]))
  const drawings = scales.filter((scale) => scale !== 1)
  expect(drawings).toHaveLength(figuresOf(sections).length)
  for (const scale of drawings) expect((scale * units * 25.4) / 72).toBeCloseTo(millimetres, 2)
})

describe('characters', () => {
  it('stay where the font has them, and are written out by code point where not', () => {
    const missing = new Set<number>()
    const has = (codePoint: number) => codePoint !== 0x4f60
    expect(showCharacters('a−α→', has, missing)).toBe('a−α→')
    expect(missing.size).toBe(0)
    expect(showCharacters('x你\u05e9\u202e\u0000y', has, missing)).toBe('x⟨U+4F60 05E9 202E 0000⟩y')
    expect([...missing]).toEqual([0x4f60, 0x5e9, 0x202e, 0])
  })

  it('are never lost at the end of a line', () => {
    const paper = openPaper({ title: '', subject: '', date: document.created_at }, [100, 100])
    for (const text of [
      'one two three four',
      'a'.repeat(200),
      '',
      ' spaced  out ',
      'runs/ppo/adapter_model.safetensors',
    ]) {
      const lines = wrap(paper, 'body', 9, text, 60)
      expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''))
      for (const line of lines) expect(paper.width('body', 9, line)).toBeLessThanOrEqual(60.01)
    }
  })

  it('of every sign the report itself prints are in the fonts', () => {
    const paper = openPaper({ title: '', subject: '', date: document.created_at }, [100, 100])
    for (const font of ['body', 'bold', 'italic'] as const)
      expect(paper.shown(font, '●■▲◆▼×✓✗−±→≤≥≠Δαβγελπρσ…—“”’·\u202f\u00a0')).not.toContain('U+')
    expect(paper.missing.size).toBe(0)
  })
})
