/**
 * The audit of a corpus: every count, every disjointness and every label, re-derived from the rows themselves.
 * The first thing that does not hold is an error with the name of the check.
 */
import { type Corpus, isPairLabel, type Page, textSha256 } from './corpus.ts'
import { evaluateResponse } from './rubric.ts'

/** What the audit certifies; the keys and values of the reference study. */
export interface CorpusAudit {
  readonly dataset: 'OfficeHelpPrefs-v1'
  readonly seed: number
  readonly pairs: number
  readonly pairs_by_split: { readonly train: number; readonly validation: number; readonly test: number }
  readonly families_by_split: { readonly train: number; readonly validation: number; readonly test: number }
  readonly warmstart_demonstrations: number
  readonly rollout_prompts: number
  readonly distinct_pair_demo_rollout_prompts: number
  readonly probe_rows: number
  readonly unique_probe_contexts: number
  readonly probe_factorial: string
  readonly actor_evaluation_rows_per_policy: number
  readonly actor_unique_contexts_per_policy: number
  readonly shared_six_situation_primitives: true
  readonly human_feedback: false
  readonly rubric_scope: string
}

export type AuditCheck =
  | 'document_ids'
  | 'row_counts'
  | 'families_by_split'
  | 'families_disjoint'
  | 'pair_splits'
  | 'training_populations'
  | 'training_families'
  | 'distinct_prompts'
  | 'content_sha256'
  | 'probe_contexts'
  | 'probe_families_disjoint'
  | 'probe_factorial'
  | 'pair_labels'
  | 'probe_labels'
  | 'heldout_prompts'

export class CorpusAuditFailure extends Error {
  override readonly name = 'CorpusAuditFailure'
  readonly check: AuditCheck

  constructor(check: AuditCheck, message: string) {
    super(message)
    this.check = check
  }
}

const splits = ['train', 'validation', 'test'] as const
const familiesExpected = { train: 168, validation: 36, test: 36 } as const

/** Audits the five populations. Throws CorpusAuditFailure with the name of the first check that fails. */
export function auditCorpus(corpus: Corpus): CorpusAudit {
  const { pages, warm, rollouts, warm_labels } = corpus
  const pairs = pages.filter(({ population }) => population === 'pair')
  const probes = pages.filter(({ population }) => population === 'probe')
  const labels = new Map(corpus.labels.map((label) => [label.document_id, label]))

  requireUnique('page', pages)
  requireUnique('label', corpus.labels)
  requireUnique('demonstration', warm)
  requireUnique('demonstration label', warm_labels)
  requireUnique('rollout prompt', rollouts)
  requireLabels('label', pages, new Set(labels.keys()))
  requireLabels('demonstration label', warm, new Set(warm_labels.map(({ document_id }) => document_id)))
  requireCount('row_counts', 'pages', pages.length, 1280)
  requireCount('row_counts', 'labels', labels.size, 1280)
  requireCount('row_counts', 'pairs', pairs.length, 1200)
  requireCount('row_counts', 'probe rows', probes.length, 80)

  const families = auditSplits(pairs)
  requireCount('training_populations', 'demonstrations', warm.length, 168)
  requireCount('training_populations', 'demonstration labels', warm_labels.length, 168)
  requireCount('training_populations', 'rollout prompts', rollouts.length, 672)
  for (const [name, rows] of [
    ['demonstrations', warm],
    ['rollout prompts', rollouts],
  ] as const) {
    const own = new Set(rows.map(({ family }) => family))
    if (own.size !== families.train.size || [...own].some((family) => !families.train.has(family))) {
      fail('training_families', `the families of the ${name} are not exactly the training families`)
    }
    const stray = rows.find(({ split }) => split !== 'train')
    if (stray) fail('training_families', `${stray.document_id} is in split ${stray.split}, not train`)
  }

  const distinct = new Set([...pairs, ...warm, ...rollouts].map(({ prompt }) => prompt))
  requireCount('distinct_prompts', 'distinct prompts of pairs, demonstrations and rollouts', distinct.size, 2040)
  for (const row of [...pages, ...warm, ...rollouts]) {
    if (textSha256(row.prompt) !== row.content_sha256) {
      fail('content_sha256', `the prompt of ${row.document_id} does not have its recorded SHA-256`)
    }
  }

  const probeContexts = new Set(probes.map(({ prompt }) => prompt))
  requireCount('probe_contexts', 'distinct probe contexts', probeContexts.size, 20)
  const shared = [...probes].find(({ family }) => splits.some((split) => families[split].has(family)))
  if (shared) fail('probe_families_disjoint', `probe family ${shared.family} is also a family of pairs`)
  const leaked = [...probeContexts].find((prompt) => distinct.has(prompt))
  if (leaked !== undefined) fail('heldout_prompts', `a probe prompt is also a training or pair prompt: ${leaked}`)

  for (const { document_id } of pairs) auditPairLabel(document_id, labels.get(document_id)!)
  auditProbes(probes, labels)

  const evaluated = pages.filter(({ split }) => split === 'test' || split === 'probe')
  return {
    dataset: 'OfficeHelpPrefs-v1',
    seed: corpus.seed,
    pairs: pairs.length,
    pairs_by_split: bySplit((split) => pairs.filter((row) => row.split === split).length),
    families_by_split: bySplit((split) => families[split].size),
    warmstart_demonstrations: warm.length,
    rollout_prompts: rollouts.length,
    distinct_pair_demo_rollout_prompts: distinct.size,
    probe_rows: probes.length,
    unique_probe_contexts: probeContexts.size,
    probe_factorial: '20contexts x correctness2 x politeness2; exact repeated prompt within context',
    actor_evaluation_rows_per_policy: evaluated.length,
    actor_unique_contexts_per_policy: new Set(evaluated.map(({ prompt }) => prompt)).size,
    shared_six_situation_primitives: true,
    human_feedback: false,
    rubric_scope: 'finite declared grammar only; other prose UNCERTIFIED',
  }
}

function auditSplits(pairs: readonly Page[]): Record<(typeof splits)[number], Set<string>> {
  const families = bySplit((split) => new Set(pairs.filter((row) => row.split === split).map((row) => row.family)))
  for (const split of splits) {
    requireCount('families_by_split', `${split} families`, families[split].size, familiesExpected[split])
  }
  for (const [one, other] of [
    ['train', 'validation'],
    ['train', 'test'],
    ['validation', 'test'],
  ] as const) {
    const common = [...families[one]].find((family) => families[other].has(family))
    if (common !== undefined) fail('families_disjoint', `family ${common} is in ${one} and in ${other}`)
  }
  const stray = pairs.find(({ split }) => split === 'probe')
  if (stray) fail('pair_splits', `pair ${stray.document_id} is in the probe split`)
  return families
}

type Label = Corpus['labels'][number]

function auditPairLabel(id: string, label: Label): void {
  if (!isPairLabel(label)) fail('pair_labels', `the label of pair ${id} has no chosen and rejected response`)
  if (!evaluateResponse(label.chosen, 'eos', label.expected_action).rubric_success) {
    fail('pair_labels', `the chosen response of ${id} does not pass the rubric`)
  }
  if (evaluateResponse(label.rejected, 'eos', label.expected_action).rubric_success) {
    fail('pair_labels', `the rejected response of ${id} passes the rubric`)
  }
}

function auditProbes(probes: readonly Page[], labels: ReadonlyMap<string, Label>): void {
  const squares = new Map<string, Set<string>>()
  for (const { document_id: id, prompt, family } of probes) {
    const label = labels.get(id)!
    if (isPairLabel(label)) fail('probe_labels', `the label of probe ${id} has no candidate`)
    const verdict = evaluateResponse(label.candidate_response, 'eos', label.expected_action)
    if (verdict.rubric_success !== label.candidate_correct || verdict.polite !== label.candidate_polite) {
      fail('probe_labels', `the candidate of ${id} is not what its label says`)
    }
    const context = `${family}\n${prompt}`
    squares.set(context, squares.get(context) ?? new Set())
    squares.get(context)!.add(`${label.candidate_correct} ${label.candidate_polite}`)
  }
  requireCount('probe_factorial', 'probe families with one prompt each', squares.size, 20)
  for (const [context, cells] of squares) {
    requireCount('probe_factorial', `factorial cells of ${context.split('\n')[0]}`, cells.size, 4)
  }
}

function requireLabels(name: string, rows: readonly Page[], labelled: ReadonlySet<string>): void {
  const missing = rows.find(({ document_id }) => !labelled.has(document_id))
  if (missing) fail('document_ids', `no ${name} for ${missing.document_id}`)
}

function requireUnique(name: string, rows: readonly { readonly document_id: string }[]): void {
  const seen = new Set<string>()
  for (const { document_id } of rows) {
    if (seen.has(document_id)) fail('document_ids', `${name} ${document_id} appears twice`)
    seen.add(document_id)
  }
}

function requireCount(check: AuditCheck, what: string, found: number, expected: number): void {
  if (found !== expected) fail(check, `${found} ${what} instead of ${expected}`)
}

function bySplit<T>(value: (split: (typeof splits)[number]) => T): Record<(typeof splits)[number], T> {
  return { train: value('train'), validation: value('validation'), test: value('test') }
}

function fail(check: AuditCheck, message: string): never {
  throw new CorpusAuditFailure(check, message)
}
