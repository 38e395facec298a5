import { createHash } from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BadInput } from '../../../shared/bad-input.ts'
import { auditCorpus } from './audit.ts'
import { generateCorpus } from './corpus.ts'
import { auditCorpusDir, readCorpusDir, writeCorpusDir } from './corpus-files.ts'
import { corpusRows } from './corpus-layout.ts'

let home: string
let dir: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'corpus-'))
  dir = join(home, 'corpus')
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

type Row = Record<string, unknown>
const rows = (file: string): Row[] =>
  readFileSync(join(dir, file), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row)
const sha = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')

describe('a corpus folder', () => {
  it('holds a hash of every file but the manifest, the audit, and reads back as it was', () => {
    const manifest = writeCorpusDir(dir)
    const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    expect(files).toHaveLength(Object.keys(manifest.files).length + 1)
    for (const [path, hash] of Object.entries(manifest.files)) expect(sha(join(dir, path))).toBe(hash)
    expect(JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8'))).toEqual(manifest)
    expect(readCorpusDir(dir)).toEqual({ corpus: generateCorpus(), manifest, audit: auditCorpus(generateCorpus()) })
    expect(readdirSync(home)).toEqual(['corpus'])
  })

  it('has ready-to-train rows with id and document_id, and the population sizes of the study', () => {
    writeCorpusDir(dir)
    const sizes = Object.fromEntries(Object.values(corpusRows).map((file) => [file, rows(file).length]))
    expect(sizes).toEqual({
      'demonstrations.jsonl': 168,
      'pairs-train.jsonl': 840,
      'pairs-validation.jsonl': 180,
      'pairs-test.jsonl': 180,
      'rollout-prompts.jsonl': 672,
      'probe-candidates.jsonl': 80,
      'heldout-prompts.jsonl': 260,
    })
    for (const file of Object.values(corpusRows)) {
      for (const row of rows(file)) expect(row.id).toBe(row.document_id)
    }
    expect(new Set(rows(corpusRows.pairsTest).map(({ split }) => split))).toEqual(new Set(['test']))
    expect(Object.keys(rows(corpusRows.pairsTrain)[0]!)).toEqual([
      'id',
      'document_id',
      'family',
      'split',
      'prompt',
      'chosen',
      'rejected',
    ])
  })

  it('keeps labels out of what generation reads and held-out rows out of what learning reads', () => {
    writeCorpusDir(dir)
    for (const row of [...rows(corpusRows.heldoutPrompts), ...rows(corpusRows.rolloutPrompts)]) {
      expect(Object.keys(row)).toEqual(['id', 'document_id', 'family', 'split', 'prompt'])
    }
    const heldout = new Set(rows(corpusRows.heldoutPrompts).map(({ prompt }) => prompt))
    expect(heldout.size).toBe(200)
    for (const file of [
      corpusRows.demonstrations,
      corpusRows.pairsTrain,
      corpusRows.pairsValidation,
      corpusRows.rolloutPrompts,
    ]) {
      for (const { prompt } of rows(file)) expect(heldout.has(prompt)).toBe(false)
    }
  })

  it('same seed, same bytes; another seed, another split', () => {
    const manifest = writeCorpusDir(dir, 3)
    expect(writeCorpusDir(join(home, 'again'), 3)).toEqual(manifest)
    expect(auditCorpusDir(dir).seed).toBe(3)
    expect(writeCorpusDir(join(home, 'other'), 4).files).not.toEqual(manifest.files)
  })

  it('stands where a link leads, and the link stays', () => {
    mkdirSync(dir)
    symlinkSync('corpus', join(home, 'link'))
    writeCorpusDir(join(home, 'link'), 3)
    expect(auditCorpusDir(dir).seed).toBe(3)
    expect(readlinkSync(join(home, 'link'))).toBe('corpus')
  })

  it('is never overwritten, nor is anything else in the way', () => {
    writeCorpusDir(dir)
    const before = sha(join(dir, 'manifest.json'))
    expect(() => writeCorpusDir(dir, 5)).toThrow(BadInput)
    expect(sha(join(dir, 'manifest.json'))).toBe(before)
    const taken = join(home, 'taken')
    mkdirSync(taken)
    writeCorpusDir(taken)
    const full = join(home, 'full')
    mkdirSync(full)
    writeFileSync(join(full, 'notes.txt'), 'mine')
    expect(() => writeCorpusDir(full)).toThrow(/not empty/)
    expect(() => writeCorpusDir(join(full, 'notes.txt'))).toThrow(/is a file/)
    expect(() => writeCorpusDir(join(full, 'notes.txt', 'corpus'))).toThrow(BadInput)
    expect(readdirSync(home).sort()).toEqual(['corpus', 'full', 'taken'])
  })
})

describe('the audit of a folder names what is wrong', () => {
  const fault = (): BadInput => {
    try {
      auditCorpusDir(dir)
    } catch (error) {
      if (error instanceof BadInput) return error
      throw error
    }
    throw new Error('nothing was wrong')
  }
  beforeEach(() => {
    writeCorpusDir(dir)
  })

  for (const file of ['labels/gold.json', corpusRows.pairsTest, 'input/pages.json']) {
    it(`one byte changed in ${file}`, () => {
      const path = join(dir, file)
      writeFileSync(path, readFileSync(path, 'utf8').replace('queue', 'quewe'))
      expect(fault()).toMatchObject({ subject: path, problem: expect.stringContaining('changed') })
    })
  }
  it('a missing file', () => {
    rmSync(join(dir, 'labels/warmstart.json'))
    expect(fault()).toMatchObject({ subject: join(dir, 'labels/warmstart.json'), problem: 'is missing' })
  })
  it('an extra file', () => {
    writeFileSync(join(dir, 'labels/extra.json'), '[]')
    expect(fault()).toMatchObject({ subject: join(dir, 'labels/extra.json') })
  })
  it('a changed file whose hash was rewritten too', () => {
    const path = join(dir, corpusRows.demonstrations)
    writeFileSync(path, readFileSync(path, 'utf8').replace('queue', 'quewe'))
    rewrite((manifest) => {
      manifest.files[corpusRows.demonstrations] = sha(path)
    })
    expect(fault()).toMatchObject({ subject: path, problem: expect.stringContaining('seed 49') })
  })
  it('a label turned round whose hash was rewritten too', () => {
    const path = join(dir, 'labels/gold.json')
    writeFileSync(path, readFileSync(path, 'utf8').replace('"candidate_polite": false', '"candidate_polite": true'))
    rewrite((manifest) => {
      manifest.files['labels/gold.json'] = sha(path)
    })
    expect(fault()).toMatchObject({ subject: dir, where: 'check probe_labels' })
  })
  it('an audit that was edited', () => {
    rewrite((manifest) => {
      manifest.audit.human_feedback = true
    })
    expect(fault()).toMatchObject({ subject: join(dir, 'manifest.json'), where: 'audit' })
  })
  it('a manifest that leaves a file out, is not JSON, or is not there', () => {
    rewrite((manifest) => {
      delete manifest.files['labels/gold.json']
    })
    expect(fault()).toMatchObject({ subject: join(dir, 'manifest.json'), where: 'labels/gold.json' })
    writeFileSync(join(dir, 'manifest.json'), '{')
    expect(fault().problem).toMatch(/not JSON/)
    rmSync(join(dir, 'manifest.json'))
    expect(fault()).toMatchObject({ subject: dir })
    rmSync(dir, { recursive: true })
    expect(fault()).toMatchObject({ subject: dir, problem: 'does not exist' })
  })

  function rewrite(change: (manifest: { files: Record<string, string>; audit: Row }) => void): void {
    const path = join(dir, 'manifest.json')
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as { files: Record<string, string>; audit: Row }
    change(manifest)
    writeFileSync(path, JSON.stringify(manifest))
  }
})
