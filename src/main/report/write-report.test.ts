import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BadInput } from '../../shared/bad-input.ts'
import type { StudyDocument } from '../../shared/study-document.ts'
import { populationNames } from '../../shared/study-results.ts'
import { fixtureDocument } from './fixture/study-document.ts'
import { writeReport } from './write-report.ts'

const folder = () => mkdtempSync(join(tmpdir(), 'report-'))

async function written(document: StudyDocument): Promise<{ html: string; json: string; out: string }> {
  const out = folder()
  await writeReport(document, { formats: ['html', 'json'], out })
  return {
    html: readFileSync(join(out, 'report.html'), 'utf8'),
    json: readFileSync(join(out, 'report.json'), 'utf8'),
    out,
  }
}

const complete = await written(fixtureDocument())

describe('writeReport', () => {
  it('writes the same bytes for the same document, and leaves nothing else behind', async () => {
    const again = await written(fixtureDocument())
    expect(again.html).toBe(complete.html)
    expect(again.json).toBe(complete.json)
    expect(readdirSync(again.out).sort()).toEqual(['report.html', 'report.json'])
  })

  it('replaces an older report and refuses to replace anything else', async () => {
    const out = folder()
    const document = fixtureDocument()
    await writeReport(document, { formats: ['html', 'json'], out })
    const { files } = await writeReport(document, { formats: ['json', 'html', 'json'], out })
    expect(files).toEqual([join(out, 'report.json'), join(out, 'report.html')])
    writeFileSync(join(out, 'report.html'), 'my own notes')
    await expect(writeReport(document, { formats: ['html', 'json'], out })).rejects.toThrow(BadInput)
    expect(readFileSync(join(out, 'report.html'), 'utf8')).toBe('my own notes')
  })

  it('refuses a format it does not know in one sentence', async () => {
    await expect(writeReport(fixtureDocument(), { formats: ['docx'], out: folder() })).rejects.toThrow(
      '--format: the report format "docx" is not supported; html, json, pdf, latex, csv and svg are',
    )
    await expect(writeReport(fixtureDocument(), { formats: [], out: folder() })).rejects.toThrow(BadInput)
  })

  it('writes chosen sections in its own order, provenance and limits always, and refuses one it does not know', async () => {
    const out = folder()
    await writeReport(fixtureDocument(), { formats: ['json'], out, sections: ['ppo', 'headline'] })
    const { sections } = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8'))
    expect(Object.keys(sections)).toEqual(['headline', 'ppo', 'provenance', 'limits'])
    await expect(
      writeReport(fixtureDocument(), { formats: ['json'], out: folder(), sections: ['ppo', 'conclusions'] }),
    ).rejects.toThrow('--sections: the report has no section "conclusions"')
  })
})

describe('the page', () => {
  it('asks nobody for anything', () => {
    expect(complete.html).not.toMatch(/<script|<link|<img|<iframe|@import|url\(["']?https?:/)
    const outside = [...complete.html.matchAll(/https?:\/\/[^"'\s<)]+/g)].map((match) => match[0])
    expect(new Set(outside)).toEqual(new Set(['http://www.w3.org/2000/svg']))
    expect(complete.html).toContain("default-src 'none'; style-src 'sha256-")
    expect(complete.html).not.toMatch(/ style="/)
  })

  it('has every id once, and every link and reference points at one', () => {
    const ids = [...complete.html.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]!)
    expect(new Set(ids).size).toBe(ids.length)
    const references = [
      ...[...complete.html.matchAll(/href="#([^"]+)"/g)].map((match) => match[1]!),
      ...[...complete.html.matchAll(/aria-labelledby="([^"]+)"/g)].flatMap((match) => match[1]!.split(' ')),
      ...[...complete.html.matchAll(/url\(#([^)]+)\)/g)].map((match) => match[1]!),
    ]
    for (const reference of references) expect(ids).toContain(reference)
  })

  it('shows all five populations with the numbers of the document, under names a reader knows', () => {
    const { actor } = fixtureDocument().results!
    const { test, probe_rows, probe_unique_contexts } = actor.ppo.metrics
    expect(complete.html).toContain(`Test prompts, one response each, n = ${test.rows}<`)
    expect(complete.html).toContain(`once (n = ${probe_unique_contexts.rows}), and every row (n = ${probe_rows.rows})<`)
    expect(complete.html).not.toMatch(/probe_rows|unique_contexts/)
    for (const name of populationNames) {
      const summary = actor.ppo.metrics[name]
      expect(complete.html).toContain(`<data value="${summary.mean_learned_reward}">`)
      expect(complete.html).toContain(`<data value="${summary.mean_sampled_actor_reference_logratio}">`)
    }
  })

  it('keeps markup, quotes and direction marks of the data inert', async () => {
    const document = fixtureDocument()
    const evil = "\"><script>alert(1)</script>\u202e\u05e9\u05dc\u05d5\u05dd & 'x' \u0000"
    const results = document.results!
    const { html } = await written({
      ...document,
      name: evil,
      limits: [evil],
      error: { stage: 'ppo', message: evil },
      results: {
        ...results,
        actor: {
          ...results.actor,
          ppo: {
            ...results.actor.ppo,
            rows: results.actor.ppo.rows.map((row) => ({
              ...row,
              text: evil,
              prompt: evil,
              document_id: row.document_id,
            })),
          },
        },
        probes: {
          ...results.probes,
          groups: results.probes.groups.map((group) => ({ ...group, family: `${evil}${group.family}` })),
        },
      },
    })
    expect(html).not.toContain('<script')
    expect(html).not.toContain('\u0000')
    expect(html).toContain('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(html).toContain('<bdi>&quot;&gt;')
  })

  it('says of a study that has only begun what will be here', async () => {
    const { html, json } = await written({
      ...fixtureDocument(),
      status: 'running',
      finished_at: null,
      results: null,
      corpus: null,
      stages: [],
      runs: [],
      iterations: [],
      curves: { sft: [], reward: [], ppo: [], sft_validation: [], reward_validation: [] },
      initial_learned_sha256: {},
      final_learned_sha256: {},
      integrity: [],
      resume_checks: [],
      artifacts: [],
    })
    expect(html).toContain('No finding yet')
    expect(html).toContain('Nothing yet: this appears when the held-out evaluation has finished.')
    expect(JSON.parse(json).sections.probes.data).toBeNull()
  })
})

describe('report.json', () => {
  it('has the sections of the page by the same ids, and every key a figure names', () => {
    const report = JSON.parse(complete.json)
    const onPage = [...complete.html.matchAll(/<section id="([^"]+)"/g)].map((match) => match[1])
    expect(Object.keys(report.sections)).toEqual(onPage)
    const keys = [...complete.html.matchAll(/Data in report\.json: <code>sections\.([a-z._-]+)/g)].map(
      (match) => match[1]!,
    )
    expect(keys.length).toBeGreaterThan(15)
    for (const key of keys) {
      const found = key.split('.').reduce((at, part) => at?.[part], report.sections)
      expect(found, key).toBeTruthy()
    }
  })

  it('never holds NaN: it lists what was not finite and where', async () => {
    const document = fixtureDocument()
    const [first, ...rest] = document.iterations
    const { json, html } = await written({
      ...document,
      iterations: [{ ...first!, mean_learned_reward: Number.NaN, mean_value: Number.POSITIVE_INFINITY }, ...rest],
    })
    const report = JSON.parse(json)
    expect(report.sections.ppo.data.iterations[0].mean_learned_reward).toBeNull()
    expect(report.non_finite).toEqual([
      { path: 'sections.ppo.data.iterations[0].mean_learned_reward', value: 'NaN' },
      { path: 'sections.ppo.data.iterations[0].mean_value', value: 'Infinity' },
    ])
    expect(html).toContain('1 non-finite, left out')
    expect(html).not.toMatch(/NaN|Infinity/)
  })
})
