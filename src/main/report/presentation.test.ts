import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BadInput } from '../../shared/bad-input.ts'
import { captionsInText } from './captions-file.ts'
import { fixtureDocument } from './fixture/study-document.ts'
import { captionedIn, presented } from './presentation.ts'
import { reportSections } from './sections/outline.ts'
import { figuresOf } from './walk.ts'
import { writeReport } from './write-report.ts'

const document = fixtureDocument()
const sections = reportSections(document)
const known = new Set(captionedIn(sections).map(({ id }) => id))
const read = (folder: string, name: string) => readFileSync(join(folder, name), 'utf8')
const folder = () => mkdtempSync(join(tmpdir(), 'report-shown-'))

it('knows every figure and table by an id of its own, in words that fit a file name', () => {
  const ids = captionedIn(sections).map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) expect(id).toMatch(/^(figure|table)-[a-z]+(-[a-z]+)*$/)
  expect(ids.length).toBeGreaterThan(40)
})

describe('captions of one’s own', () => {
  const evil = '<b>50% & "more"</b> \\input{x} $x_1$ =1+1'
  const captions = { 'figure-ppo-reward': evil, 'table-held-out-test': '=SUM(A1) & <i>tests</i>' }

  it('stand in every format as text, and nothing in them is read as markup', async () => {
    const out = folder()
    const formats = ['html', 'json', 'latex', 'csv', 'svg']
    await writeReport(document, { formats, out, presentation: { captions } })
    const html = read(out, 'report.html')
    expect(html).toContain('&lt;b&gt;50% &amp; &quot;more&quot;&lt;/b&gt; \\input{x} $x_1$ =1+1 <span class="source">')
    expect(html).toContain('=SUM(A1) &amp; &lt;i&gt;tests&lt;/i&gt;</caption>')
    expect(html).not.toContain('<b>')
    const tex = read(out, 'report-latex.tex')
    // Its own caption says all: no title before it.
    expect(tex).toContain(
      '\\captionof{figure}{\\textless{}b\\textgreater{}50\\% \\& \\straightquote{}more\\straightquote{}\\textless{}/b\\textgreater{} \\textbackslash{}input\\{x\\} \\$x\\_1\\$ =1+1}',
    )
    expect(tex).toContain(
      '\\caption{=SUM(A1) \\& \\textless{}i\\textgreater{}tests\\textless{}/i\\textgreater{}} \\\\*',
    )
    const svg = read(out, 'figures/figure-ppo-reward.svg')
    expect(svg).toContain('&lt;b&gt;50% &amp; &quot;more&quot;&lt;/b&gt; \\input{x} $x_1$ =1+1</desc>')
    expect(read(out, 'figures/index.csv')).toContain('"<b>50% & ""more""</b> \\input{x} $x_1$ =1+1"')
    expect(read(out, 'tables/index.csv')).toContain("'=SUM(A1) & <i>tests</i>")
    const { items } = JSON.parse(read(out, 'report.json')).sections.ppo
    expect(items.find(({ id }: { id: string }) => id === 'figure-ppo-reward').caption).toBe(evil)
  })

  it('reach the PDF, and change no other bytes of a report without them', async () => {
    const { reportPdf } = await import('./pdf/report-pdf.ts')
    const own = await reportPdf(document, presented(sections, { captions }))
    const again = await reportPdf(document, presented(sections, { captions }))
    const plain = await reportPdf(document, presented(sections, {}))
    expect(Buffer.compare(Buffer.from(own), Buffer.from(again))).toBe(0)
    expect(Buffer.compare(Buffer.from(plain), Buffer.from(await reportPdf(document, sections)))).toBe(0)
    expect(Buffer.compare(Buffer.from(own), Buffer.from(plain))).not.toBe(0)
  })

  it('are one line, and of something', () => {
    const shown = presented(sections, { captions: { 'figure-ppo-reward': '  two\n lines ' } })
    expect(figuresOf(shown).find(({ figure }) => figure.id === 'figure-ppo-reward')?.figure.caption).toBe('two lines')
    expect(() => presented(sections, { captions: { 'figure-ppo-rewrd': 'x' } })).toThrow(
      '--captions: the report has no figure or table "figure-ppo-rewrd"; did you mean figure-ppo-reward?',
    )
    expect(() => presented(sections, { captions: { 'table-stages': ' \n' } })).toThrow(BadInput)
  })
})

describe('a captions file', () => {
  it('gives captions by id', () => {
    const text = '# mine\nfigure-ppo-reward: "Reward: rising"\ntable-stages: >\n  Two\n  lines\n'
    expect(captionsInText(text, 'c.yaml', known)).toEqual({
      'figure-ppo-reward': 'Reward: rising',
      'table-stages': 'Two lines\n',
    })
    expect(captionsInText('# nothing yet\n', 'c.yaml', known)).toEqual({})
  })

  it.each([
    ['figure-ppo-reward: "a\n', 'c.yaml: is not YAML: Missing closing "quote (line 2)'],
    ['- a\n', 'c.yaml: must be "id: caption" lines (line 1)'],
    [
      'figure-ppo-reward: a\nfigure-ppo-rewards: b\n',
      'c.yaml: the report has no figure or table "figure-ppo-rewards"; did you mean figure-ppo-reward? (line 2)',
    ],
    ['figure-ppo-reward: a\nfigure-ppo-reward: b\n', 'c.yaml: is not YAML: Map keys must be unique (line 2)'],
    ['figure-ppo-reward: 12\n', 'c.yaml: the caption of figure-ppo-reward is not text; put it in quotes (line 1)'],
    [
      'figure-ppo-reward:\n',
      'c.yaml: the caption of figure-ppo-reward is empty; leave it out to keep the report’s own (line 1)',
    ],
    [
      `figure-ppo-reward: ${'x'.repeat(2001)}\n`,
      'c.yaml: the caption of figure-ppo-reward has more than 2000 characters (line 1)',
    ],
  ])('%j is refused', (text, message) => {
    expect(() => captionsInText(text, 'c.yaml', known)).toThrow(message)
  })
})

describe('a width for every figure', () => {
  it.each([
    ['single', 85],
    ['double', 175],
  ] as const)('%s is %d mm in SVG, PDF, LaTeX and HTML', async (figureWidth, millimetres) => {
    const out = folder()
    const chosen = { formats: ['html', 'latex', 'svg'], out, sections: ['headline', 'ppo', 'probes'] }
    const { files } = await writeReport(document, { ...chosen, presentation: { figureWidth } })
    const named = (ending: string) => files.filter((file) => file.endsWith(ending) && file.includes('/figure-'))
    expect(named('.svg').length).toBeGreaterThan(10)
    for (const file of named('.svg')) expect(readFileSync(file, 'utf8')).toContain(` width="${millimetres}mm" height="`)
    expect(named('.pdf')).toHaveLength(named('.svg').length)
    for (const file of named('.pdf')) {
      expect(file).toMatch(new RegExp(`-${millimetres}mm\\.pdf$`))
      const wide = Number(/\/MediaBox \[0 0 ([\d.]+)/.exec(readFileSync(file, 'latin1'))![1])
      expect((wide / 72) * 25.4).toBeCloseTo(millimetres, 3)
    }
    const tex = read(out, 'report-latex.tex')
    const boxes = [...tex.matchAll(/\\begin\{minipage\}\[t\]\{([\d.]+)mm\}\\vspace/g)].map((match) => Number(match[1]))
    expect(boxes).toHaveLength(named('.svg').length)
    expect(new Set(boxes)).toEqual(new Set([millimetres]))
    const html = read(out, 'report.html')
    expect(html).toContain(`class="figures ${figureWidth === 'single' ? 'narrow' : 'wide'} fixed"`)
    expect(html).not.toMatch(/class="figures (narrow|wide)"/)
  })
})
