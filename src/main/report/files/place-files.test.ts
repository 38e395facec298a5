import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BadInput } from '../../../shared/bad-input.ts'
import { fixtureDocument } from '../fixture/study-document.ts'
import { writeReport } from '../write-report.ts'
import { placeFiles } from './place-files.ts'
import { textFile } from './report-file.ts'

const folder = () => mkdtempSync(join(tmpdir(), 'report-'))
const sections = ['headline']

function contents(at: string): Record<string, string> {
  const names = readdirSync(at, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.'))
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(at, name)).toString('latin1')]))
}

describe('all formats in one folder', () => {
  it('are the same bytes again, replace themselves, and leave nothing else behind', async () => {
    const [one, other] = [folder(), folder()]
    const formats = ['html', 'json', 'pdf', 'latex', 'csv', 'svg']
    const { files } = await writeReport(fixtureDocument(), { formats, out: one, sections })
    await writeReport(fixtureDocument(), { formats, out: other, sections })
    expect(contents(other)).toEqual(contents(one))
    expect(files.map((file) => file.slice(one.length + 1)).sort()).toEqual(Object.keys(contents(one)))
    expect(readdirSync(one).sort()).toEqual([
      'figures',
      'report-latex.tex',
      'report.html',
      'report.json',
      'report.pdf',
      'tables',
    ])
    await writeReport(fixtureDocument(), { formats, out: one, sections: ['pipeline'] })
    expect(readdirSync(join(one, 'figures')).sort()).toEqual([
      'index.csv',
      'table-provenance.pdf',
      'table-provenance.svg',
      'table-runs.pdf',
      'table-runs.svg',
      'table-stages.pdf',
      'table-stages.svg',
    ])
    expect(existsSync(join(one, 'tables', '01-figure-headline-reward.csv'))).toBe(false)
  }, 30_000)
})

describe('what is no report', () => {
  it.each([
    ['pdf', 'report.pdf', '%PDF-1.7 someone else'],
    ['latex', 'report-latex.tex', '\\documentclass{article}'],
    ['csv', join('tables', 'mine.csv'), 'a,b'],
    ['svg', join('figures', 'mine.svg'), '<svg/>'],
  ])('stays where a %s report would go', async (format, name, text) => {
    const out = folder()
    mkdirSync(join(out, name, '..'), { recursive: true })
    writeFileSync(join(out, name), text)
    await expect(writeReport(fixtureDocument(), { formats: [format], out, sections })).rejects.toThrow(BadInput)
    expect(contents(out)).toEqual({ [name]: text })
  })

  it('stays inside a folder of the report too', async () => {
    const out = folder()
    await writeReport(fixtureDocument(), { formats: ['csv'], out, sections })
    writeFileSync(join(out, 'tables', 'analysis.py'), 'print(1)')
    await expect(writeReport(fixtureDocument(), { formats: ['csv'], out, sections })).rejects.toThrow('analysis.py')
    expect(readFileSync(join(out, 'tables', 'analysis.py'), 'utf8')).toBe('print(1)')
  })
})

describe('placing', () => {
  it('leaves no file where one cannot be written', () => {
    const out = folder()
    expect(() => placeFiles([textFile('a.txt', 'a'), textFile('a.txt/b', 'b')], out)).toThrow()
    expect(readdirSync(out)).toEqual([])
  })

  it('leaves every older file as it was where one of the new cannot take its place', () => {
    const out = folder()
    placeFiles([textFile('a.txt', 'old'), textFile('tables/one.csv', 'old')], out)
    const before = contents(out)
    // No folder can be renamed to itself with a dot: the third name fails after two were given.
    const files = [textFile('a.txt', 'new'), textFile('tables/two.csv', 'new'), textFile('./fresh.txt', 'new')]
    expect(() => placeFiles(files, out)).toThrow()
    expect(contents(out)).toEqual(before)
  })
})
