import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type AuditCheck, auditCorpus, CorpusAuditFailure } from './audit.ts'
import { type Corpus, type GoldLabel, generateCorpus, type Page, splitFamilies } from './corpus.ts'

const stored = JSON.parse(readFileSync(new URL('../../../../test/golden/corpus/corpus.json', import.meta.url), 'utf8'))
const corpus = generateCorpus()

/** JSON with sorted keys, compact, as the stored hashes were taken. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
    return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`
  }
  return JSON.stringify(value)
}

describe('OfficeHelpPrefs-v1, seed 49', () => {
  for (const name of ['pages', 'labels', 'warm', 'warm_labels', 'rollouts'] as const) {
    it(`${name} have the stored SHA-256`, () => {
      const hash = createHash('sha256').update(canonical(corpus[name]), 'utf8').digest('hex')
      expect(hash).toBe(stored.sha256[name])
    })
  }
  it('assigns every family to its stored split', () => {
    expect(splitFamilies(49)).toEqual(stored.split_assignment)
  })
  it('passes its audit with the stored result', () => {
    expect(auditCorpus(corpus)).toEqual(stored.audit)
    expect(Object.keys(auditCorpus(corpus))).toEqual(Object.keys(stored.audit))
  })
})

describe('other seeds', () => {
  it('draw the split and nothing else', () => {
    const other = generateCorpus(7)
    expect(auditCorpus(other)).toEqual({ ...stored.audit, seed: 7 })
    expect(other.labels).toEqual(corpus.labels)
    expect(other.pages.map(({ prompt }) => prompt)).toEqual(corpus.pages.map(({ prompt }) => prompt))
    expect(other.pages.map(({ split }) => split)).not.toEqual(corpus.pages.map(({ split }) => split))
  })
  it('wide and negative seeds work; a fraction is refused', () => {
    expect(splitFamilies(-49)).toEqual(splitFamilies(49))
    expect(splitFamilies(2 ** 32 + 49)).not.toEqual(splitFamilies(49))
    expect(() => generateCorpus(0.5)).toThrow(RangeError)
  })
})

describe('the audit names what does not hold', () => {
  const replace = <T>(rows: readonly T[], index: number, change: Partial<T>) =>
    rows.map((row, i) => (i === index ? { ...row, ...change } : row))
  const indexOf = (population: Page['population'], split: Page['split']) =>
    corpus.pages.findIndex((page) => page.population === population && page.split === split)
  const train = indexOf('pair', 'train')
  const probe = indexOf('probe', 'probe')
  const labels = (index: number, change: Record<string, unknown>): GoldLabel[] =>
    corpus.labels.map((label, i) => (i === index ? ({ ...label, ...change } as GoldLabel) : label))
  const rollout = corpus.rollouts[0]!
  const probePage = corpus.pages[probe]!

  const cases: [string, AuditCheck, Partial<Corpus>][] = [
    ['a row is missing', 'row_counts', { pages: corpus.pages.slice(1) }],
    ['an id appears twice', 'document_ids', { pages: [...corpus.pages.slice(1), corpus.pages[1]!] }],
    ['a label is missing', 'document_ids', { labels: corpus.labels.slice(1) }],
    ['a family is in two splits', 'families_by_split', { pages: replace(corpus.pages, train, { split: 'test' }) }],
    [
      'families of two splits overlap although the counts hold',
      'families_disjoint',
      {
        pages: (() => {
          // One pair each of a train family goes to test, and a test family vanishes from test.
          const test = corpus.pages.find((page) => page.split === 'test')!.family
          return corpus.pages.map((page, i) =>
            i === train
              ? { ...page, split: 'test' as const }
              : page.family === test
                ? { ...page, family: corpus.pages[train]!.family }
                : page,
          )
        })(),
      },
    ],
    ['a demonstration is missing', 'training_populations', { warm: corpus.warm.slice(1) }],
    [
      'a rollout prompt comes from a held-out family',
      'training_families',
      {
        rollouts: corpus.rollouts.map((page) => (page.family === rollout.family ? { ...page, family: 'OH999' } : page)),
      },
    ],
    [
      'a probe is among the rollout prompts',
      'training_families',
      { rollouts: replace(corpus.rollouts, 0, { ...probePage, document_id: rollout.document_id }) },
    ],
    ['a prompt repeats', 'distinct_prompts', { warm: replace(corpus.warm, 0, { prompt: corpus.warm[1]!.prompt }) }],
    ['a prompt was edited', 'content_sha256', { rollouts: replace(corpus.rollouts, 5, { prompt: 'Edited.' }) }],
    [
      'a held-out probe prompt is trained on',
      'heldout_prompts',
      {
        rollouts: replace(corpus.rollouts, 0, { prompt: probePage.prompt, content_sha256: probePage.content_sha256 }),
      },
    ],
    [
      'a probe family is a family of pairs',
      'probe_families_disjoint',
      { pages: replace(corpus.pages, probe, { family: 'OH000' }) },
    ],
    [
      'a chosen response claims certainty',
      'pair_labels',
      {
        labels: labels(0, { chosen: 'This will certainly be fixed if you resume the paused print queue, guaranteed.' }),
      },
    ],
    [
      'a rejected response is right',
      'pair_labels',
      { labels: labels(0, { rejected: 'You could resume the paused print queue and see what changes.' }) },
    ],
    ['a probe label was turned round', 'probe_labels', { labels: labels(probe, { candidate_polite: true }) }],
    [
      'a probe square has one cell twice',
      'probe_factorial',
      { labels: labels(probe, { ...corpus.labels[probe + 1], document_id: corpus.labels[probe]!.document_id }) },
    ],
  ]
  for (const [story, check, change] of cases) {
    it(story, () => {
      let caught: unknown
      try {
        auditCorpus({ ...corpus, ...change })
      } catch (error) {
        caught = error
      }
      expect(caught).toBeInstanceOf(CorpusAuditFailure)
      expect((caught as CorpusAuditFailure).check, (caught as Error).message).toBe(check)
    })
  }
})
