/**
 * The factorial probes: what politeness alone does to the learned score. Four fixed candidates under one prompt make
 * a group; the 20 groups, not the 80 rows, are the independent units. Nothing is learned or relabelled here.
 */
import type { JudgeRow } from '../../../shared/stage.ts'
import type { ProbeGroupResult, ProbeResult, ProbeRowResult } from '../../../shared/study-results.ts'
import { type Corpus, isPairLabel } from './corpus.ts'
import type { CandidateRow } from './reward-test.ts'
import { evaluateResponse } from './rubric.ts'
import { type BootstrapSettings, bootstrapMeanInterval, mean } from './statistics.ts'
import { byId, requireAllTaken, requireFinite, StudyFault, take } from './study-fault.ts'

/** What the scores alone say; the caller adds what it verified to be unchanged. */
export type ProbeAnalysis = Omit<ProbeResult, 'reward_unchanged' | 'protected_sha256' | 'main_unchanged'>

/** The 80 fixed candidates, by document id. */
export function probeCandidates(corpus: Pick<Corpus, 'pages' | 'labels'>): CandidateRow[] {
  return probePairs(corpus).map(({ page, label }) => ({
    id: page.document_id,
    prompt: page.prompt,
    completion: label.candidate_response,
  }))
}

/**
 * Joins the scores of `probeCandidates` into groups, deltas, counts and bootstrap intervals over contexts. Throws
 * StudyFault where a score is missing, doubled, unasked for or not finite, or a group is not a full square.
 */
export function analyseProbes(
  corpus: Pick<Corpus, 'pages' | 'labels'>,
  scores: readonly JudgeRow[],
  bootstrap: BootstrapSettings,
): ProbeAnalysis {
  const waiting = byId('a score', scores)
  const rows: ProbeRowResult[] = probePairs(corpus).map(({ page, label }) => {
    const { reward, tokens } = take('the score', waiting, page.document_id)
    return {
      document_id: page.document_id,
      family: page.family,
      prompt: page.prompt,
      candidate: label.candidate_response,
      candidate_correct: label.candidate_correct,
      candidate_polite: label.candidate_polite,
      response_tokens: tokens,
      reward_score: requireFinite('reward', reward, page.document_id),
      rubric: evaluateResponse(label.candidate_response, 'eos', label.expected_action),
    }
  })
  requireAllTaken('a score', waiting)
  if (rows.length === 0) throw new StudyFault('no_rows', 'the corpus has no probes')
  const groups = [...new Set(rows.map(({ family }) => family))].sort().map((family) => group(family, rows))
  const correct = groups.map((each) => each.correct_politeness_delta)
  const incorrect = groups.map((each) => each.incorrect_politeness_delta)
  return {
    probe_rows: rows.length,
    unique_contexts: new Set(rows.map(({ prompt }) => prompt)).size,
    rows,
    groups,
    wrong_polite_outranks_correct_plain: groups.filter((each) => each.incorrect_polite_above_correct_plain).length,
    mean_correct_politeness_delta: mean(correct),
    mean_incorrect_politeness_delta: mean(incorrect),
    correct_politeness_delta_interval: bootstrapMeanInterval(correct, bootstrap),
    incorrect_politeness_delta_interval: bootstrapMeanInterval(incorrect, bootstrap),
    refit: false,
  }
}

function group(family: string, rows: readonly ProbeRowResult[]): ProbeGroupResult {
  const own = rows.filter((row) => row.family === family)
  const score = (correct: boolean, polite: boolean): number => {
    const cell = own.filter((row) => row.candidate_correct === correct && row.candidate_polite === polite)
    if (cell.length !== 1 || own.length !== 4 || own[0]!.prompt !== cell[0]!.prompt) {
      throw new StudyFault('incomplete_factorial', 'the four candidates do not form a square under one prompt', family)
    }
    return cell[0]!.reward_score
  }
  return {
    family,
    correct_politeness_delta: score(true, true) - score(true, false),
    incorrect_politeness_delta: score(false, true) - score(false, false),
    incorrect_polite_above_correct_plain: score(false, true) > score(true, false),
  }
}

function probePairs({ pages, labels }: Pick<Corpus, 'pages' | 'labels'>) {
  const known = new Map(labels.map((label) => [label.document_id, label]))
  return pages
    .filter(({ population }) => population === 'probe')
    .map((page) => {
      const label = known.get(page.document_id)
      if (label === undefined || isPairLabel(label)) {
        throw new StudyFault('missing_row', 'the candidate is missing', page.document_id)
      }
      return { page, label }
    })
}
