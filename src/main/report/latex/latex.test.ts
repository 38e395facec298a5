import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hostile, hostileDocument } from '../fixture/hostile.ts'
import { fixtureDocument } from '../fixture/study-document.ts'
import { reportSections } from '../sections/outline.ts'
import { writeReport } from '../write-report.ts'
import { texWriter } from './escape.ts'
import { reportTex } from './report-tex.ts'

const text = (given: string) => texWriter().text(given)

describe('escaping', () => {
  it.each([
    ['\\', '\\textbackslash{}'],
    ['{}', '\\{\\}'],
    ['$&#%_', '\\$\\&\\#\\%\\_'],
    ['^~', '\\textasciicircum{}\\textasciitilde{}'],
    ['^^5c', '\\textasciicircum{}\\textasciicircum{}5c'],
    ['<|>', '\\textless{}\\textbar{}\\textgreater{}'],
    ['"', '\\straightquote{}'],
    ["''", "'{}'{}"],
    ['`', '\\`{}'],
    ['--', '-{}-{}'],
    ['[0.1]', '{[}0.1{]}'],
    ['*', '{*}'],
    ['−0.5', '\\ensuremath{-}0.5'],
    ['α → Ω', '\\ensuremath{\\alpha} \\ensuremath{\\rightarrow} \\ensuremath{\\Omega}'],
    ['é ï ş', '\\\'{e} \\"{\\i} \\c{s}'],
    ['e\u0301', "\\'{e}"],
    ['1\u202f200', '1\\,200'],
    ['a\nb\r\nc', 'a \\linemark{} b \\linemark{} c'],
    ['你', '\\charcode{4F60}'],
    ['\u202e\u0000', '\\charcode{202E}\\charcode{0000}'],
    ['\ud800', '\\charcode{D800}'],
    ['\u{1f600}', '\\charcode{1F600}'],
  ])('%j becomes %j', (given, expected) => {
    expect(text(given)).toBe(expected)
  })

  it('breaks hashes in eights and long words after their punctuation', () => {
    expect(texWriter().code('0123456789ab')).toBe('\\texttt{01234567\\allowbreak{}89ab}')
    expect(text('a/bcdefghijklmnopqrstuvwxyz')).toBe(
      'a/\\allowbreak{}bcdefghijklm\\allowbreak{}nopqrstuvwxy\\allowbreak{}z',
    )
  })

  it('lets out nothing but ASCII, commands from the fixed list, and balanced braces', () => {
    const allowed =
      /\\(?:textbackslash|textasciicircum|textasciitilde|textless|textgreater|textbar|straightquote|linemark|quad|charcode|allowbreak|ensuremath|ldots|texttt)\b/g
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom(...hostile) })),
        (given) => {
          const written = text(given)
          expect(written).toMatch(/^[\x20-\x7e]*$/)
          const bare = written
            .replace(/\\ensuremath\{(?:[^{}]|\{[^{}]*\})*\}/g, '')
            .replace(allowed, '')
            .replace(/\\(?:[`'^~=."urHvc]\{\\?[A-Za-z]?\}|(?:ss|ae|AE|oe|OE|o|O|l|L|i|S|P|copyright|pounds)\{\})/g, '')
            .replace(/\\[{}$&#%_,]/g, '')
          expect(bare).not.toMatch(/[\\$&#%_^"`]/)
          let depth = 0
          for (const one of bare) {
            if (one === '{') depth += 1
            if (one === '}') depth -= 1
            expect(depth).toBeGreaterThanOrEqual(0)
          }
          expect(depth).toBe(0)
        },
      ),
    )
  })
})

describe('report-latex.tex', () => {
  it('is the same for the same document, and says which characters it could not set', () => {
    const document = hostileDocument()
    const once = reportTex(document, reportSections(document), 'figures')
    expect(reportTex(document, reportSections(document), 'figures')).toBe(once)
    expect(once).toContain('Note on characters.')
    expect(once).toContain('U+05E9')
    expect(once).not.toMatch(/\\(?:input|write18|openout)/)
    expect(once.match(/\\end\{document\}/g)).toHaveLength(1)
  })

  const pdflatex = spawnSync('pdflatex', ['--version']).status === 0
  it.skipIf(!pdflatex)(
    pdflatex ? 'compiles, hostile texts and all' : 'compiles (skipped: pdflatex is not installed)',
    { timeout: 120_000 },
    async () => {
      const captions = { 'figure-ppo-reward': hostile, 'table-stages': [...hostile].reverse().join('') }
      for (const [document, presentation] of [
        [fixtureDocument(), {}],
        [hostileDocument(), {}],
        [fixtureDocument(), { captions, figureWidth: 'single' }],
        [fixtureDocument(), { captions, figureWidth: 'double' }],
      ] as const) {
        const out = mkdtempSync(join(tmpdir(), 'report-tex-'))
        await writeReport(document, { formats: ['latex'], out, presentation })
        const flags = ['-interaction=nonstopmode', '-halt-on-error', '-no-shell-escape', 'report-latex.tex']
        const { status, stdout } = spawnSync('pdflatex', flags, { cwd: out, encoding: 'utf8' })
        expect(status, stdout.slice(-2000)).toBe(0)
        expect(existsSync(join(out, 'report-latex.pdf'))).toBe(true)
        const log = readFileSync(join(out, 'report-latex.log'), 'latin1')
        expect(log).not.toMatch(/Missing character|Undefined control sequence/)
        expect(existsSync(join(out, 'x'))).toBe(false)
      }
    },
  )
})
