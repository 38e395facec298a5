/** The learned judge: how it was trained, and how often it ranks held-out pairs rightly. */
import type { StudyDocument } from '../../../shared/study-document.ts'
import { decimal, integer, percent } from '../number-text.ts'
import { type Block, counted, measured, type Section, shared } from '../section.ts'
import { shareInterval } from '../statistics/share-interval.ts'
import { learningBlocks } from './learning-figures.ts'
import { pending } from './pending.ts'

export function rewardModelSection(document: StudyDocument): Section {
  const title = 'Reward model'
  const question = 'How well does the learned judge rank pairs it has not seen?'
  const { reward, reward_validation } = document.curves
  if (reward.length === 0) return pending('reward-model', title, question, 'reward learning')
  const test = document.results?.reward_test ?? null
  const blocks: Block[] = []
  if (test === null) blocks.push({ kind: 'text', tone: 'note', text: 'The test on held-out pairs has not run yet.' })
  else {
    const bounds = shareInterval(test.correct, test.pairs)
    const margins = test.rows.map((row) => row.chosen_score - row.rejected_score).sort((a, b) => a - b)
    blocks.push(
      {
        kind: 'text',
        text:
          `On ${integer(test.pairs)} test pairs the chosen response scores strictly higher in ${test.correct} (${percent(test.accuracy)}` +
          `${bounds === null ? '' : `, 95% Wilson interval [${percent(bounds[0])}, ${percent(bounds[1])}]`}); ${test.ties} ties, counted as not correct. ` +
          `Margin chosen − rejected: median ${decimal(median(margins))}, smallest ${decimal(margins[0])}, largest ${decimal(margins.at(-1))}.`,
      },
      {
        kind: 'table',
        table: {
          id: 'table-reward-model-test',
          caption: 'Reward model on held-out test pairs',
          columns: [
            { label: 'Split' },
            { label: 'Pairs', numeric: true },
            { label: 'Correct', numeric: true },
            { label: 'Ties', numeric: true },
            { label: 'Accuracy', numeric: true, role: 'reward' },
          ],
          rows: [
            { cells: ['Test', counted(test.pairs), counted(test.correct), counted(test.ties), shared(test.accuracy)] },
          ],
        },
      },
      {
        kind: 'details',
        summary: `Every test pair (${integer(test.rows.length)})`,
        blocks: [
          {
            kind: 'table',
            table: {
              id: 'table-reward-model-pairs',
              caption: 'Every held-out test pair: both scores and their margin',
              columns: [
                { label: 'Pair' },
                { label: 'Chosen', numeric: true, role: 'reward' },
                { label: 'Rejected', numeric: true, role: 'reward' },
                { label: 'Margin', numeric: true },
                { label: 'Verdict' },
              ],
              rows: test.rows.map((row) => ({
                cells: [
                  row.document_id,
                  measured(row.chosen_score),
                  measured(row.rejected_score),
                  measured(row.chosen_score - row.rejected_score),
                  row.tie ? 'tie' : row.correct ? 'correct' : 'wrong',
                ],
              })),
            },
          },
        ],
      },
    )
  }
  blocks.push(
    ...learningBlocks({
      section: 'reward-model',
      name: 'Reward model',
      role: 'reward',
      lossName: 'Bradley-Terry loss',
      updates: reward,
      validation: reward_validation,
    }),
    {
      kind: 'text',
      tone: 'note',
      text: 'The score is read at the last active response token. It is defined up to a shift, is no probability of being right or useful, and may depend on style. ln 2 ≈ 0.693 is the loss of a judge that tells nothing apart.',
    },
  )
  return {
    id: 'reward-model',
    title,
    question,
    blocks,
    data: { test, updates: reward, validation: reward_validation },
  }
}

function median(sorted: readonly number[]): number | null {
  if (sorted.length === 0) return null
  const middle = sorted.length / 2
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
