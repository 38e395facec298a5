import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { unzipSync, zipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BadInput } from '../../../shared/bad-input.ts'
import { type FakeBench, fakeBench, openFake, quickConfig } from '../fake-bench.ts'
import { JobControl } from '../job-control.ts'
import { listStudies } from '../list-studies.ts'
import { showStudy } from '../show-study.ts'
import { resumeStudy, runStudy } from '../study-run.ts'
import { verifyStudy } from '../verify-study.ts'
import type { Workbench } from '../workbench.ts'
import { exportStudy } from './export-study.ts'
import { importStudy } from './import-study.ts'
import { unsafeName, ZipFile } from './zip-reader.ts'

let fake: FakeBench
let bench: Workbench
let id: string
let zip: string
let others = 0
const opened: Workbench[] = []

beforeAll(async () => {
  fake = fakeBench()
  bench = fake.open()
  id = (await runStudy(bench, { model: fake.model, config: quickConfig, device: 'cpu', threads: 1 })).study_id
  zip = join(fake.root, 'study.zip')
  exportStudy(bench, id, zip)
}, 120_000)
afterAll(() => {
  for (const each of [bench, ...opened]) each.close()
  rmSync(fake.root, { recursive: true, force: true })
})

function otherHome(): Workbench {
  const other = openFake(join(fake.root, `home-${others++}`))
  opened.push(other)
  return other
}

function fault(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    expect(error).toBeInstanceOf(BadInput)
    return (error as Error).message
  }
  throw new Error('nothing was thrown')
}

/** The archive with some entries changed; `undefined` takes one out. */
function altered(changes: Record<string, Uint8Array | undefined>): string {
  const entries = { ...unzipSync(readFileSync(zip)), ...changes }
  for (const [name, content] of Object.entries(changes)) if (content === undefined) delete entries[name]
  const file = join(fake.root, `altered-${others++}.zip`)
  writeFileSync(file, zipSync(entries as Record<string, Uint8Array>))
  return file
}

const entry = (name: string) => unzipSync(readFileSync(zip))[name]!
const manifest = () => JSON.parse(Buffer.from(entry('manifest.json')).toString('utf8')) as Record<string, unknown>

/** The import is refused with these words, and leaves nothing behind. */
function refused(file: string, words: RegExp | string): void {
  const other = otherHome()
  expect(fault(() => importStudy(other, file))).toMatch(words)
  expect(listStudies(other)).toEqual([])
  const studies = join(other.home, 'studies')
  expect(existsSync(studies) ? readdirSync(studies) : []).toEqual([])
  expect(existsSync(join(other.home, 'escaped'))).toBe(false)
}

describe('export and import', () => {
  it('round-trip byte for byte, and the copy verifies', () => {
    const other = otherHome()
    expect(importStudy(other, zip)).toMatchObject({ study_id: id, status: 'finished' })
    const again = join(fake.root, 'again.zip')
    exportStudy(other, id, again)
    expect(readFileSync(again).equals(readFileSync(zip))).toBe(true)
    const [here, there] = [showStudy(bench, id), showStudy(other, id)]
    expect({ ...there, model: null, report_files: null }).toEqual({ ...here, model: null, report_files: null })
    const verification = verifyStudy(other, id)
    expect(verification.checks.filter(({ status }) => status === 'failed')).toEqual([])
    expect(verification.checks.find(({ name }) => name === 'base model')?.status).toBe('warning')
    expect(fault(() => importStudy(other, zip))).toContain('already')
  })

  it('holds no path of the machine it comes from', () => {
    const { 'records.json': records, 'manifest.json': list } = unzipSync(readFileSync(zip))
    expect(Buffer.from(records!).toString('utf8')).not.toContain(fake.root)
    expect(Buffer.from(list!).toString('utf8')).not.toContain(fake.root)
  })

  it('goes on with an interrupted study elsewhere', async () => {
    const home = fakeBench()
    home.plan({ stage: 'ppo', delayMs: 60 })
    const first = home.open()
    const control = new JobControl()
    const request = { model: home.model, config: quickConfig, device: 'cpu' as const, threads: 1 }
    const { study_id } = await runStudy(first, request, {
      control,
      onProgress: ({ stage, done }) => {
        if (stage === 'ppo' && done >= 2) control.stop()
      },
    })
    const file = join(home.root, 'half.zip')
    exportStudy(first, study_id, file)
    first.close()
    const other = otherHome()
    expect(importStudy(other, file)).toMatchObject({ status: 'interrupted' })
    await expect(resumeStudy(other, study_id)).rejects.toThrow('--model')
    expect(await resumeStudy(other, study_id, { model: home.model })).toMatchObject({ status: 'finished' })
    expect(showStudy(other, study_id).final_learned_sha256).toEqual(showStudy(bench, id).final_learned_sha256)
    rmSync(home.root, { recursive: true })
  })

  it('refuses to export over a file, or a study whose files changed', () => {
    expect(fault(() => exportStudy(bench, id, zip))).toContain('exists already')
    const file = join(bench.home, 'studies', id, 'results', 'evaluation.json')
    const kept = readFileSync(file)
    writeFileSync(file, 'changed')
    expect(fault(() => exportStudy(bench, id, join(fake.root, 'no.zip')))).toContain('changed')
    expect(existsSync(join(fake.root, 'no.zip'))).toBe(false)
    writeFileSync(file, kept)
  })
})

describe('an import', () => {
  it('refuses what is no export', () => {
    refused(join(fake.root, 'none.zip'), 'does not exist')
    const text = join(fake.root, 'text.zip')
    writeFileSync(text, 'no zip at all')
    refused(text, 'not a zip file')
    const cut = join(fake.root, 'cut.zip')
    writeFileSync(cut, readFileSync(zip).subarray(0, 40_000))
    refused(cut, 'not a zip file')
    const foreign = join(fake.root, 'foreign.zip')
    writeFileSync(foreign, zipSync({ 'a.txt': Buffer.from('a') }))
    refused(foreign, 'not an exported study')
  })

  it('refuses other versions', () => {
    for (const change of [{ version: 2 }, { store_version: 99 }]) {
      refused(
        altered({ 'manifest.json': Buffer.from(JSON.stringify({ ...manifest(), ...change })) }),
        'another version',
      )
    }
  })

  it('refuses changed, missing and additional files', () => {
    refused(altered({ 'study/results/evaluation.json': Buffer.from('{}') }), /SHA-256 is [0-9a-f]{64}/)
    refused(altered({ 'records.json': Buffer.from('{}') }), /SHA-256/)
    refused(altered({ 'study/results/evaluation.json': undefined }), 'does not hold')
    refused(altered({ 'study/more.txt': Buffer.from('x') }), 'does not list')
  })

  it.each(['../escaped', 'study/../../escaped', '/escaped', 'study\\..\\escaped', 'C:/escaped', 'study//x'])(
    'refuses the name %s',
    (name) => {
      refused(altered({ [name]: Buffer.from('x') }), /holds a name that/)
      expect(unsafeName(name)).not.toBe(null)
    },
  )

  it('refuses bombs by what they declare and by what they do', () => {
    const bomb = Buffer.from(zipSync({ 'study/zeros': [new Uint8Array(8_000_000), { level: 9 }] }))
    const file = join(fake.root, 'bomb.zip')
    writeFileSync(file, bomb)
    expect(fault(() => new ZipFile(file, 1_000_000))).toContain('unpacks to 8000000 bytes')
    // The same content, declared as ten bytes in both places.
    const directory = bomb.lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2]))
    bomb.writeUInt32LE(10, directory + 24)
    writeFileSync(file, bomb)
    const lying = new ZipFile(file, 1_000_000)
    expect(fault(() => lying.bytes('study/zeros', 100))).toContain('more than it declares')
    lying.close()
    bomb.writeUInt32LE(0x7fffffff, directory + 24)
    writeFileSync(file, bomb)
    expect(fault(() => new ZipFile(file, Number.MAX_SAFE_INTEGER))).toContain('impossible size')
  })

  it('refuses links and overlapping entries', () => {
    const bytes = Buffer.from(zipSync({ 'study/a': Buffer.from('a'), 'study/b': Buffer.from('b') }))
    const second = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2]))
    const file = join(fake.root, 'odd.zip')
    const link = Buffer.from(bytes)
    link.writeUInt32LE((0xa1ff << 16) >>> 0, second + 38)
    writeFileSync(file, link)
    expect(fault(() => new ZipFile(file, 1e6))).toContain('not a plain file')
    const overlap = Buffer.from(bytes)
    overlap.writeUInt32LE(0, second + 42)
    writeFileSync(file, overlap)
    expect(fault(() => new ZipFile(file, 1e6))).toMatch(/overlap|differently/)
  })

  it('refuses records that speak of another study or break the schema', () => {
    const records = JSON.parse(Buffer.from(entry('records.json')).toString('utf8')) as Record<
      string,
      { columns: string[]; rows: unknown[][] }
    >
    const withRecords = (change: (copy: typeof records) => void) => {
      const copy = structuredClone(records)
      change(copy)
      const text = Buffer.from(JSON.stringify(copy))
      const hash = createHash('sha256').update(text).digest('hex')
      const list = manifest() as { files: Record<string, unknown> }
      list.files['records.json'] = { sha256: hash, bytes: text.length }
      return altered({ 'records.json': text, 'manifest.json': Buffer.from(JSON.stringify(list)) })
    }
    const column = (table: string, name: string) => records[table]!.columns.indexOf(name)
    refused(
      withRecords((copy) =>
        copy.facts!.rows.forEach((row) => {
          row[column('facts', 'study_id')] = 'study-20200101-0000-aaaa'
        }),
      ),
      'another study',
    )
    refused(
      withRecords((copy) => {
        copy.runs!.rows[0]![column('runs', 'run_id')] = '../../x'
      }),
      'unusable run id',
    )
    refused(
      withRecords((copy) => {
        copy.stages!.rows[0]![column('stages', 'status')] = 'nonsense'
      }),
      'CHECK constraint',
    )
    refused(
      withRecords((copy) => {
        copy.sqlite_master = { columns: [], rows: [] }
      }),
      'unknown table',
    )
    refused(
      withRecords((copy) => {
        copy.studies!.columns[0] = 'study_id) --'
      }),
      /./,
    )
  })

  it('leaves a study in the way alone', () => {
    const other = otherHome()
    mkdirSync(join(other.home, 'studies', id), { recursive: true })
    expect(fault(() => importStudy(other, zip))).toContain('in the way')
  })
})

describe('verification', () => {
  it('passes on a finished study and names what was changed', () => {
    const good = verifyStudy(bench, id)
    expect(good.checks.filter(({ status }) => status !== 'ok')).toEqual([])
    expect(good.ok).toBe(true)
    const run = showStudy(bench, id).runs.find(({ stage }) => stage === 'ppo')!
    const journal = join(bench.home, 'studies', id, 'runs', run.run_id, 'journal.jsonl')
    const kept = readFileSync(journal)
    writeFileSync(journal, kept.toString('utf8').replace('response 1', 'response x'))
    const bad = verifyStudy(bench, id)
    expect(bad.ok).toBe(false)
    const failed = bad.checks.filter(({ status }) => status === 'failed').map(({ name }) => name)
    expect(failed).toEqual([`file runs/${run.run_id}/journal.jsonl`, `${run.run_id} journal equals store`])
    writeFileSync(journal, kept)
    bench.store.db
      .prepare(`UPDATE evaluations SET learned_reward_score = 9 WHERE branch = 'ppo' AND position = 0`)
      .run()
    expect(
      verifyStudy(bench, id)
        .checks.filter(({ status }) => status === 'failed')
        .map(({ name }) => name),
    ).toEqual(['figures of ppo follow from its rows'])
  })
})
