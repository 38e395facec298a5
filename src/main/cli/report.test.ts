/** `recompense report`, as a shell sees it: what it says, what it writes, and how figures and captions are chosen. */
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { fakeBench, quickConfig } from '../workbench/fake-bench.ts'
import { writeReportChoice } from '../workbench/report-choice.ts'
import { runStudy } from '../workbench/study-run.ts'
import { runCli } from './run-cli.ts'

const fake = fakeBench()
const model = resolve('test/golden/checkpoints/base_f32')
let id: string
beforeAll(async () => {
  const bench = fake.open()
  id = (await runStudy(bench, { model, config: quickConfig, name: 'small', device: 'cpu', threads: 1 })).study_id
  const choice = { left_out: ['sft', 'samples'], figure_width: 'double' as const, captions: { 'table-stages': 'Kept' } }
  writeReportChoice(bench, id, choice)
  bench.close()
}, 60_000)

const folder = () => mkdtempSync(join(fake.root, 'report '))
const report = (out: string, ...flags: string[]) => runCli(['report', id, '--home', fake.home, '--out', out, ...flags])

it('says in a few lines where the report is', async () => {
  const out = folder()
  const { code, stdout, stderr } = await report(out, '--format', 'html,svg,csv')
  expect([code, stderr]).toEqual([0, ''])
  const lines = stdout.trimEnd().split('\n')
  expect(lines).toHaveLength(4)
  expect(lines[0]).toMatch(new RegExp(`^${out}: \\d+ files, [\\d.]+ (kB|MB)$`))
  expect(lines[1]).toMatch(/^ {2}report\.html {2}[\d.]+ (kB|MB)$/)
  expect(lines[2]).toMatch(/^ {2}figures\/ {5}\d+ files, [\d.]+ (kB|MB); index\.csv lists them$/)
  const json = await report(out, '--format', 'html,svg,csv', '--json')
  const { files, items } = JSON.parse(json.stdout)
  expect(files).toHaveLength(1 + readdirSync(join(out, 'figures')).length + readdirSync(join(out, 'tables')).length)
  expect(items).toContainEqual(expect.objectContaining({ id: 'table-stages', kind: 'table', printed: true }))
})

it('has the captions and the width asked for, or those chosen in the window', async () => {
  const out = folder()
  const file = join(out, 'captions.yaml')
  writeFileSync(file, 'table-stages: "What was <run>"\n')
  await report(out, '--format', 'html', '--captions', file, '--figure-width', 'single')
  const asked = readFileSync(join(out, 'report.html'), 'utf8')
  expect(asked).toContain('What was &lt;run&gt;</caption>')
  expect(asked).toContain('class="figures narrow fixed"')
  expect(asked).toContain('<section id="sft"')

  await report(out, '--format', 'html', '--as-chosen')
  const chosen = readFileSync(join(out, 'report.html'), 'utf8')
  expect(chosen).toContain('>Kept</caption>')
  expect(chosen).toContain('class="figures wide fixed"')
  expect(chosen).not.toMatch(/<section id="(sft|samples)"/)

  await report(out, '--format', 'html', '--as-chosen', '--captions', file, '--sections', 'pipeline')
  const both = readFileSync(join(out, 'report.html'), 'utf8')
  expect(both).toContain('What was &lt;run&gt;</caption>')
  expect([...both.matchAll(/<section id="([^"]+)"/g)].map((match) => match[1])).toEqual([
    'pipeline',
    'provenance',
    'limits',
  ])
})

it.each([
  ['table-stage: x\n', 'the report has no figure or table "table-stage"; did you mean table-stages? (line 1)'],
  ['table-stages: [x]\n', 'the caption of table-stages is not text; put it in quotes (line 1)'],
])('refuses the captions %j and writes nothing', async (text, problem) => {
  const out = folder()
  const file = join(fake.root, 'bad.yaml')
  writeFileSync(file, text)
  const { code, stdout, stderr } = await report(out, '--captions', file)
  expect([code, stdout, stderr]).toEqual([2, '', `error: ${file}: ${problem}\n`])
  expect(readdirSync(out)).toEqual([])
})
