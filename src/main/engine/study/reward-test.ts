/** The reward model's accuracy on the held-out pairs, published beside the policies and used to select nothing. */
import type { JudgeRow } from '../../../shared/stage.ts'
import type { RewardTestResult } from '../../../shared/study-results.ts'
import { type Corpus, isPairLabel, type Page, type PairLabel } from './corpus.ts'
import { byId, requireAllTaken, requireFinite, StudyFault, take } from './study-fault.ts'

/** A response to score: what a judge stage reads. */
export interface CandidateRow {
  readonly id: string
  readonly prompt: string
  readonly completion: string
}

/** The responses of the test pairs, two rows a pair: `<document_id>-chosen` and `<document_id>-rejected`. */
export function rewardTestCandidates(corpus: Pick<Corpus, 'pages' | 'labels'>): CandidateRow[] {
  return testPairs(corpus).flatMap(({ page, label }) => [
    { id: `${page.document_id}-chosen`, prompt: page.prompt, completion: label.chosen },
    { id: `${page.document_id}-rejected`, prompt: page.prompt, completion: label.rejected },
  ])
}

/**
 * Joins the scores of `rewardTestCandidates`. A tie is counted and is not correct. Throws StudyFault where a score is
 * missing, doubled, unasked for or not finite.
 */
export function rewardTest(corpus: Pick<Corpus, 'pages' | 'labels'>, scores: readonly JudgeRow[]): RewardTestResult {
  const waiting = byId('a score', scores)
  const score = (id: string) => requireFinite('reward', take('the score', waiting, id).reward, id)
  const rows = testPairs(corpus).map(({ page: { document_id } }) => {
    const chosen_score = score(`${document_id}-chosen`)
    const rejected_score = score(`${document_id}-rejected`)
    return {
      document_id,
      chosen_score,
      rejected_score,
      correct: chosen_score > rejected_score,
      tie: chosen_score === rejected_score,
    }
  })
  requireAllTaken('a score', waiting)
  if (rows.length === 0) throw new StudyFault('no_rows', 'the corpus has no test pairs')
  const correct = rows.filter((row) => row.correct).length
  return {
    pairs: rows.length,
    correct,
    ties: rows.filter((row) => row.tie).length,
    accuracy: correct / rows.length,
    rows,
    used_for_selection: false,
  }
}

function testPairs({ pages, labels }: Pick<Corpus, 'pages' | 'labels'>): { page: Page; label: PairLabel }[] {
  const known = new Map(labels.map((label) => [label.document_id, label]))
  return pages
    .filter(({ population, split }) => population === 'pair' && split === 'test')
    .map((page) => {
      const label = known.get(page.document_id)
      if (label === undefined || !isPairLabel(label)) {
        throw new StudyFault('missing_row', 'the preference is missing', page.document_id)
      }
      return { page, label }
    })
}
