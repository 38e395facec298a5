import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { exportUrl, reportUrl, type ServedPlaces, servedFile } from './served-file.ts'

const id = 'study-20261129-1604-ab12'
let root: string
let places: ServedPlaces
const report = () => join(root, 'report')

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'served-'))
  mkdirSync(join(root, 'pages', 'assets'), { recursive: true })
  mkdirSync(join(report(), 'figures'), { recursive: true })
  writeFileSync(join(root, 'pages', 'index.html'), 'page')
  writeFileSync(join(root, 'pages', 'assets', 'a.js'), 'script')
  writeFileSync(join(report(), 'report.html'), 'report')
  writeFileSync(join(root, 'secret'), 'secret')
  places = { pages: join(root, 'pages'), reportFolder: (study) => (study === id ? report() : undefined) }
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

describe('an address', () => {
  it('means the files of the page', () => {
    expect(servedFile('/', places)?.path).toBe(join(root, 'pages', 'index.html'))
    expect(servedFile('/assets/a.js', places)).toMatchObject({ extension: '.js' })
    expect(servedFile('/assets', places)).toBeUndefined()
    expect(servedFile('/none.html', places)).toBeUndefined()
  })

  it.each([
    '/../secret',
    '/%2e%2e/secret',
    '/..%2fsecret',
    '/assets/../../secret',
    '/..\\secret',
    '/%00',
    '/%',
    '//etc/passwd',
    '/assets//a.js',
    `/report/${id}`,
    `/report/${id}/other`,
    '/report/study-20261129-1604-ffff/',
    '/report/../',
    `/export/${id}/..%2f..%2fsecret`,
    `/export/${id}/../secret`,
    `/export/${id}/`,
    `/export/${id}/figures`,
    '/export/..%2f/secret',
  ])('%s leads nowhere', (address) => {
    expect(servedFile(address, places)).toBeUndefined()
  })

  it('means the report of a study, which runs no script', () => {
    expect(servedFile(reportUrl(id), places)).toMatchObject({ path: join(report(), 'report.html') })
    expect(servedFile(reportUrl(id), places)?.policy).toMatch(/^sandbox; default-src 'none'/)
  })

  it.each([
    ['a plain name', 'report.html'],
    ['a folder', 'figures/reward.svg'],
    ['spaces, quotes and signs', `it's "50 %" #1 + more?.csv`],
    ['letters of other scripts', 'отчёт — 報告.pdf'],
  ])('means a file of the export folder by its name: %s', (_what, name) => {
    writeFileSync(join(report(), name), 'x')
    const file = servedFile(new URL(exportUrl(id, name), 'http://127.0.0.1').pathname, places)
    expect(file?.path).toBe(join(report(), name))
    expect(file?.saveAs).toBe(name.split('/').at(-1))
  })

  it('does not follow a link out of its folder', () => {
    symlinkSync(join(root, 'secret'), join(report(), 'link.csv'))
    symlinkSync(root, join(root, 'pages', 'up'))
    expect(servedFile(exportUrl(id, 'link.csv'), places)).toBeUndefined()
    expect(servedFile('/up/secret', places)).toBeUndefined()
  })
})
