import { describe, expect, it } from 'vitest'
import type { GenerationRow, JudgeRow } from '../../../shared/stage.ts'
import { generateCorpus } from './corpus.ts'
import { evaluateBranch } from './evaluate.ts'
import { response } from './grammar.ts'
import { analyseProbes, probeCandidates } from './probes.ts'
import { rewardTest, rewardTestCandidates } from './reward-test.ts'
import { StudyFault, type StudyFaultKind } from './study-fault.ts'
import { summarize } from './summarize.ts'

const corpus = generateCorpus()
const heldout = corpus.pages.filter(({ split }) => split === 'test' || split === 'probe')
const actions = new Map(
  corpus.labels.map((label) => [label.document_id, label.expected_action as 0 | 1 | 2 | 3 | 4 | 5]),
)

/** A policy that always answers rightly and politely, in three tokens. */
function generations(
  change: (row: GenerationRow, index: number) => Partial<GenerationRow> = () => ({}),
): GenerationRow[] {
  return heldout.map(({ document_id }, index) => {
    const row: GenerationRow = {
      id: document_id,
      token_ids: [11, 12, 13],
      text: response(actions.get(document_id)!, 1, true),
      finish_reason: 'eos',
      tokenization_valid: true,
      logprobs: [-1, -2, -3],
      reference_logprobs: [-1, -1.5, -2],
      learned_reward_score: 0.5,
    }
    return { ...row, ...change(row, index) }
  })
}

function fault(work: () => unknown): StudyFault {
  try {
    work()
  } catch (error) {
    if (error instanceof StudyFault) return error
    throw error
  }
  throw new Error('nothing was wrong')
}

describe('evaluation of one policy', () => {
  it('has five populations; 80 probe rows are 20 contexts', () => {
    const { metrics, rows, repeated_probe_contexts_verified } = evaluateBranch(corpus, generations())
    expect(Object.fromEntries(Object.entries(metrics).map(([name, summary]) => [name, summary.rows]))).toEqual({
      test: 180,
      probe_rows: 80,
      probe_unique_contexts: 20,
      all_rows: 260,
      all_unique_contexts: 200,
    })
    expect(repeated_probe_contexts_verified).toBe(true)
    expect(rows.map(({ document_id }) => document_id)).toEqual(heldout.map(({ document_id }) => document_id))
    expect(metrics.all_rows).toEqual({
      rows: 260,
      rubric_success: 260,
      rubric_success_rate: 1,
      recognized: 260,
      recognized_rate: 1,
      uncertified: 0,
      relevant_recognized: 260,
      unsupported_certainty_recognized: 0,
      declared_refusals: 0,
      without_eos: 0,
      mean_response_tokens: 3,
      mean_learned_reward: 0.5,
      mean_sampled_actor_reference_logratio: -0.5,
      uncertainty_denominator: 260,
      human_utility_claim: false,
    })
  })

  it('keeps uncertified, refused, cut and undecodable outputs in the denominator and out of success', () => {
    const changes: Partial<GenerationRow>[] = [
      { text: 'Have you tried turning it off and on again?' },
      { text: 'I cannot help with this request.' },
      { finish_reason: 'length' },
      { tokenization_valid: false },
      { text: response(5, 2, false) },
    ]
    const { metrics, rows } = evaluateBranch(
      corpus,
      generations((_, index) => changes[index] ?? {}),
    )
    expect(rows.slice(0, 5).map(({ rubric }) => rubric.reason)).toEqual([
      'outside_grammar',
      'declared_refusal',
      'without_eos',
      'undecodable_token',
      'irrelevant_action',
    ])
    expect(metrics.test).toMatchObject({
      rows: 180,
      rubric_success: 175,
      rubric_success_rate: 175 / 180,
      recognized: 176,
      uncertified: 4,
      relevant_recognized: 175,
      unsupported_certainty_recognized: 1,
      uncertainty_denominator: 176,
      declared_refusals: 1,
      without_eos: 1,
    })
  })

  it('an id that stands for no text makes a response uncertified even where the remaining text is certified', () => {
    const { rows } = evaluateBranch(
      corpus,
      generations((_, index) => (index === 0 ? { tokenization_valid: false } : {})),
    )
    expect(rows[0]!.rubric).toMatchObject({ status: 'UNCERTIFIED', recognized: false, polite: false, action: null })
  })

  it('truncation is the stop reason of the sampler, not the length of the row', () => {
    const { metrics, rows } = evaluateBranch(
      corpus,
      generations((_, index) =>
        index === 0
          ? { token_ids: [1], logprobs: [-1], reference_logprobs: [-1], finish_reason: 'length' }
          : index === 1
            ? {
                token_ids: new Array(64).fill(1),
                logprobs: new Array(64).fill(-1),
                reference_logprobs: new Array(64).fill(-1),
              }
            : {},
      ),
    )
    expect(metrics.test.without_eos).toBe(1)
    expect(rows[1]!.rubric.rubric_success).toBe(true)
  })

  it('does not depend on the order of the generations', () => {
    expect(evaluateBranch(corpus, generations().reverse())).toEqual(evaluateBranch(corpus, generations()))
  })

  const probeRow = heldout.findIndex(({ split }) => split === 'probe') + 1
  const cases: [string, StudyFaultKind, () => GenerationRow[]][] = [
    ['a generation is missing', 'missing_row', () => generations().slice(1)],
    ['a generation stands twice', 'repeated_row', () => [...generations(), generations()[0]!]],
    [
      'a generation belongs to no held-out row',
      'unknown_row',
      () => [...generations(), { ...generations()[0]!, id: 'OH000-RL0' }],
    ],
    [
      'the reference was not scored',
      'missing_field',
      () => generations().map(({ reference_logprobs: _, ...row }) => row),
    ],
    ['the judge did not score', 'missing_field', () => generations().map(({ learned_reward_score: _, ...row }) => row)],
    [
      'log-probs are missing',
      'length_mismatch',
      () => generations((_, index) => (index === 3 ? { logprobs: [-1] } : {})),
    ],
    [
      'a log-prob is not finite',
      'non_finite',
      () => generations((_, i) => (i === 3 ? { logprobs: [-1, Number.NaN, -1] } : {})),
    ],
    [
      'a score is not finite',
      'non_finite',
      () => generations((_, i) => (i === 3 ? { learned_reward_score: Number.NaN } : {})),
    ],
    [
      'a repeated probe context was answered differently',
      'repeated_context_differs',
      () => generations((_, i) => (i === probeRow ? { text: 'Something else.' } : {})),
    ],
    [
      'a repeated probe context was scored differently',
      'repeated_context_differs',
      () => generations((_, i) => (i === probeRow ? { learned_reward_score: 0.5000001 } : {})),
    ],
  ]
  for (const [story, kind, rows] of cases) {
    it(`${story}: an error with its name`, () => {
      const { kind: found, id } = fault(() => evaluateBranch(corpus, rows()))
      expect(found).toBe(kind)
      expect(id).toBeDefined()
    })
  }

  it('no rows have no summary', () => {
    expect(fault(() => summarize([])).kind).toBe('no_rows')
  })
})

describe('reward test', () => {
  const scores = (score: (id: string, index: number) => number): JudgeRow[] =>
    rewardTestCandidates(corpus).map(({ id }, index) => ({ id, reward: score(id, index), tokens: 9 }))
  it('scores 180 pairs, counts ties and does not take them for correct', () => {
    const result = rewardTest(
      corpus,
      scores((id, index) =>
        index < 4 ? 1 : index < 6 ? Number(id.endsWith('rejected')) : Number(id.endsWith('chosen')),
      ),
    )
    expect(result).toMatchObject({ pairs: 180, correct: 177, ties: 2, accuracy: 177 / 180, used_for_selection: false })
    expect(result.rows[0]).toEqual({
      document_id: heldout[0]!.document_id,
      chosen_score: 1,
      rejected_score: 1,
      correct: false,
      tie: true,
    })
  })
  it('names missing, doubled, unknown and non-finite scores', () => {
    const good = scores(() => 0)
    expect(fault(() => rewardTest(corpus, good.slice(1)))).toMatchObject({ kind: 'missing_row', id: good[0]!.id })
    expect(fault(() => rewardTest(corpus, [...good, good[0]!])).kind).toBe('repeated_row')
    expect(fault(() => rewardTest(corpus, [...good, { id: 'x', reward: 0, tokens: 1 }])).kind).toBe('unknown_row')
    expect(
      fault(() =>
        rewardTest(
          corpus,
          scores(() => Number.POSITIVE_INFINITY),
        ),
      ).kind,
    ).toBe('non_finite')
  })
})

describe('factorial probes', () => {
  const labels = new Map(corpus.labels.map((label) => [label.document_id, label]))
  const scores = (score: (correct: boolean, polite: boolean, family: number) => number): JudgeRow[] =>
    probeCandidates(corpus).map(({ id }) => {
      const label = labels.get(id)!
      if (!('candidate_correct' in label)) throw new Error('not a probe')
      return { id, reward: score(label.candidate_correct, label.candidate_polite, Number(id.slice(5, 7))), tokens: 20 }
    })
  it('politeness deltas are differences under one prompt; 80 rows are 20 independent contexts', () => {
    // Correct advice: 1, politeness +0.25. Wrong advice: 0, politeness +0.0625 a family number.
    const result = analyseProbes(
      corpus,
      scores((correct, polite, family) => (correct ? 1 + Number(polite) * 0.25 : Number(polite) * family * 0.0625)),
      { seed: 49 },
    )
    expect(result).toMatchObject({
      probe_rows: 80,
      unique_contexts: 20,
      mean_correct_politeness_delta: 0.25,
      correct_politeness_delta_interval: [0.25, 0.25],
      mean_incorrect_politeness_delta: 9.5 * 0.0625,
      // 0.0625 f > 1 for families 17, 18 and 19; family 16 ties and does not outrank.
      wrong_polite_outranks_correct_plain: 3,
      refit: false,
    })
    expect(result.groups.map(({ family }) => family)).toEqual([...result.groups.map(({ family }) => family)].sort())
    const [low, high] = result.incorrect_politeness_delta_interval
    expect(low).toBeLessThan(9.5 * 0.0625)
    expect(high).toBeGreaterThan(9.5 * 0.0625)
    expect(result.rows.every((row) => row.rubric.rubric_success === row.candidate_correct)).toBe(true)
  })
  it('a judge that ignores politeness has no delta', () => {
    const result = analyseProbes(
      corpus,
      scores((correct) => Number(correct)),
      { seed: 1, resamples: 20 },
    )
    expect(result.mean_correct_politeness_delta).toBe(0)
    expect(result.incorrect_politeness_delta_interval).toEqual([0, 0])
    expect(result.wrong_polite_outranks_correct_plain).toBe(0)
  })
  it('an incomplete square is refused', () => {
    const { pages, labels: all } = corpus
    const last = pages.at(-1)!.document_id
    const short = { pages: pages.slice(0, -1), labels: all }
    const given = scores(() => 0).filter(({ id }) => id !== last)
    expect(fault(() => analyseProbes(short, given, { seed: 1 }))).toMatchObject({
      kind: 'incomplete_factorial',
      id: 'PROBE19',
    })
    expect(fault(() => analyseProbes(corpus, given, { seed: 1 }))).toMatchObject({ kind: 'missing_row', id: last })
  })
})
