/**
 * Which file of a corpus folder holds what: the reference study's JSON files, and beside them the same rows as JSONL
 * that the training, scoring and generation commands take. No file that a learning stage reads holds a held-out row,
 * and no file that generation reads holds a label.
 */
import { type Corpus, isPairLabel, type Page } from './corpus.ts'

/** Ready-to-use JSONL files, relative to the corpus folder. */
export const corpusRows = {
  demonstrations: 'demonstrations.jsonl',
  pairsTrain: 'pairs-train.jsonl',
  pairsValidation: 'pairs-validation.jsonl',
  pairsTest: 'pairs-test.jsonl',
  rolloutPrompts: 'rollout-prompts.jsonl',
  probeCandidates: 'probe-candidates.jsonl',
  heldoutPrompts: 'heldout-prompts.jsonl',
} as const

/** The files that a corpus is read back from. */
export const corpusSources = {
  pages: 'input/pages.json',
  labels: 'labels/gold.json',
  warm: 'warmstart/pages.json',
  warm_labels: 'labels/warmstart.json',
  rollouts: 'train/pages.json',
} as const

/** Relative path (with forward slashes) to file content, in the order of writing. */
export function corpusFiles(corpus: Corpus): Map<string, string> {
  const labels = new Map(corpus.labels.map((label) => [label.document_id, label]))
  const demonstrations = new Map(corpus.warm_labels.map((label) => [label.document_id, label.response]))
  const pairsOf = (split: Page['split']) =>
    corpus.pages.filter((row) => row.population === 'pair' && row.split === split)
  const preference = ({ document_id, family, prompt, split }: Page) => {
    const label = labels.get(document_id)
    if (label === undefined || !isPairLabel(label)) throw new Error(`no preference for ${document_id}`)
    return { document_id, family, split, prompt, chosen: label.chosen, rejected: label.rejected }
  }
  const sourcePair = (row: Page) => {
    const { document_id, family, prompt, chosen, rejected } = preference(row)
    return { document_id, family, prompt, chosen, rejected }
  }
  const promptRow = ({ document_id, family, split, prompt }: Page) => ({
    id: document_id,
    document_id,
    family,
    split,
    prompt,
  })
  const pairRow = (row: Page) => ({ id: row.document_id, ...preference(row) })
  const candidateRow = (row: Page) => {
    const label = labels.get(row.document_id)
    if (label === undefined || isPairLabel(label)) throw new Error(`no candidate for ${row.document_id}`)
    return { ...promptRow(row), completion: label.candidate_response }
  }
  const probes = corpus.pages.filter(({ population }) => population === 'probe')
  const heldout = corpus.pages.filter(({ split }) => split === 'test' || split === 'probe')

  return new Map([
    [corpusSources.pages, json(corpus.pages)],
    [corpusSources.labels, json(corpus.labels)],
    ['labels/train-pairs.json', json(pairsOf('train').map(sourcePair))],
    ['labels/validation-pairs.json', json(pairsOf('validation').map(sourcePair))],
    ['validation/pages.json', json(pairsOf('validation'))],
    [corpusSources.rollouts, json(corpus.rollouts)],
    [corpusSources.warm, json(corpus.warm)],
    [corpusSources.warm_labels, json(corpus.warm_labels)],
    [
      corpusRows.demonstrations,
      jsonl(corpus.warm.map((row) => ({ ...promptRow(row), completion: demonstrations.get(row.document_id) }))),
    ],
    [corpusRows.pairsTrain, jsonl(pairsOf('train').map(pairRow))],
    [corpusRows.pairsValidation, jsonl(pairsOf('validation').map(pairRow))],
    [corpusRows.pairsTest, jsonl(pairsOf('test').map(pairRow))],
    [corpusRows.rolloutPrompts, jsonl(corpus.rollouts.map(promptRow))],
    [corpusRows.probeCandidates, jsonl(probes.map(candidateRow))],
    [corpusRows.heldoutPrompts, jsonl(heldout.map(promptRow))],
  ])
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 1)}\n`
}

function jsonl(rows: readonly unknown[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('')
}
