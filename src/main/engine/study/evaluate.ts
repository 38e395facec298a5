/**
 * Held-out evaluation of one policy: free generations, made without labels, meet the gold labels here and nowhere
 * earlier. Every row has two separate judgements, the learned score and the rubric.
 */
import type { GenerationRow } from '../../../shared/stage.ts'
import {
  type BranchResult,
  type EvaluationRow,
  type EvaluationSummary,
  type PopulationName,
  populationNames,
} from '../../../shared/study-results.ts'
import type { Corpus } from './corpus.ts'
import { evaluateResponse, undecodable } from './rubric.ts'
import { mean } from './statistics.ts'
import { byId, requireAllTaken, requireFinite, StudyFault, take } from './study-fault.ts'
import { summarize } from './summarize.ts'

/**
 * Joins one generation a held-out page (test and probe, in page order) with its label, and summarises the five
 * populations. Rows of one prompt are repetitions of one greedy generation and must be identical in every field.
 * Throws StudyFault where a generation is missing, doubled, unasked for, incomplete, not finite or contradicts its
 * repetition.
 */
export function evaluateBranch(
  corpus: Pick<Corpus, 'pages' | 'labels'>,
  generations: readonly GenerationRow[],
): Omit<BranchResult, 'actor_sha256'> {
  const expected = new Map(corpus.labels.map((label) => [label.document_id, label.expected_action]))
  const waiting = byId('a generation', generations)
  const firstOfPrompt = new Map<string, GenerationRow>()
  const rows: EvaluationRow[] = []
  for (const { document_id, family, split, prompt } of corpus.pages) {
    if (split !== 'test' && split !== 'probe') continue
    const generation = take('the generation', waiting, document_id)
    const action = expected.get(document_id)
    if (action === undefined) throw new StudyFault('missing_row', 'the gold label is missing', document_id)
    requireRepetition(firstOfPrompt.get(prompt) ?? generation, generation)
    if (!firstOfPrompt.has(prompt)) firstOfPrompt.set(prompt, generation)
    rows.push({
      document_id,
      family,
      split,
      prompt,
      text: generation.text,
      token_ids: generation.token_ids,
      finish_reason: generation.finish_reason,
      response_tokens: generation.token_ids.length,
      learned_reward_score: learnedScore(generation),
      sampled_actor_reference_logratio: meanLogRatio(generation),
      rubric: generation.tokenization_valid
        ? evaluateResponse(generation.text, generation.finish_reason, action)
        : undecodable,
    })
  }
  requireAllTaken('a generation', waiting)
  return { metrics: summarizePopulations(rows), rows, repeated_probe_contexts_verified: true }
}

/** The five populations: duplicate-adjusted ones keep one row a prompt. */
export function summarizePopulations(rows: readonly EvaluationRow[]): Record<PopulationName, EvaluationSummary> {
  const probes = rows.filter(({ split }) => split === 'probe')
  const populations: Record<PopulationName, readonly EvaluationRow[]> = {
    test: rows.filter(({ split }) => split === 'test'),
    probe_rows: probes,
    probe_unique_contexts: oneARow(probes),
    all_rows: rows,
    all_unique_contexts: oneARow(rows),
  }
  return Object.fromEntries(populationNames.map((name) => [name, summarize(populations[name])])) as Record<
    PopulationName,
    EvaluationSummary
  >
}

function oneARow(rows: readonly EvaluationRow[]): EvaluationRow[] {
  return [...new Map(rows.map((row) => [row.prompt, row])).values()]
}

function learnedScore({ learned_reward_score: score, id }: GenerationRow): number {
  if (score === undefined) throw new StudyFault('missing_field', 'the generation has no learned_reward_score', id)
  return requireFinite('learned_reward_score', score, id)
}

/** Mean of log pi - log pi_ref over the response's tokens: a sampled log-ratio, which can be negative. */
function meanLogRatio({ id, token_ids, logprobs, reference_logprobs: reference }: GenerationRow): number {
  if (reference === undefined) throw new StudyFault('missing_field', 'the generation has no reference_logprobs', id)
  if (token_ids.length === 0) throw new StudyFault('length_mismatch', 'the generation has no tokens', id)
  for (const [name, values] of Object.entries({ logprobs, reference_logprobs: reference })) {
    if (values.length !== token_ids.length) {
      throw new StudyFault('length_mismatch', `${values.length} ${name} for ${token_ids.length} tokens`, id)
    }
    for (const [t, value] of values.entries()) requireFinite(`${name}[${t}]`, value, id)
  }
  return mean(logprobs.map((value, t) => value - reference[t]!))
}

const repeatedFields = [
  'token_ids',
  'text',
  'finish_reason',
  'tokenization_valid',
  'logprobs',
  'reference_logprobs',
  'learned_reward_score',
] as const satisfies readonly (keyof GenerationRow)[]

function requireRepetition(first: GenerationRow, again: GenerationRow): void {
  for (const field of repeatedFields) {
    if (JSON.stringify(first[field]) !== JSON.stringify(again[field])) {
      throw new StudyFault(
        'repeated_context_differs',
        `${field} differs from that of ${first.id}, which has the same prompt and was generated greedily too`,
        again.id,
      )
    }
  }
}
