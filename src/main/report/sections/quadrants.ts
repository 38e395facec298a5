/** Where the two judges disagree about what PPO changed, prompt by prompt, with the responses themselves. */
import type { StudyDocument } from '../../../shared/study-document.ts'
import { change, integer } from '../number-text.ts'
import { type Block, counted, type Exchange, type ReportTable, type Section } from '../section.ts'
import {
  byContext,
  countQuadrants,
  type PairedRow,
  pairRows,
  type QuadrantCounts,
  type RewardMove,
  type RubricMove,
  rewardMoves,
  rubricMoves,
} from '../statistics/quadrants.ts'
import { judged } from './exchange.ts'
import { pending } from './pending.ts'

const title = 'SFT against PPO, prompt by prompt'
const question = 'Where the learned reward rose, did the rubric follow?'

/** More than this many disagreements are listed one click below. */
const listed = 8
const examplesElsewhere = 2

const moveTitle: Readonly<Record<RewardMove, string>> = {
  up: '▲\u00a0reward\u00a0up',
  equal: '=\u00a0reward\u00a0equal',
  down: '▼\u00a0reward\u00a0down',
}
const rubricTitle: Readonly<Record<RubricMove, string>> = {
  gained: '▲\u00a0gained',
  'passed both': 'passed both',
  'failed both': 'failed both',
  lost: '▼\u00a0lost',
}

export function quadrantsSection(document: StudyDocument): Section {
  const { results } = document
  if (results === null) return pending('quadrants', title, question, 'the held-out evaluation')
  const { sft, ppo } = results.actor
  const test = pairRows(sft.rows, ppo.rows).filter((pair) => pair.after.split === 'test')
  const contexts = pairRows(byContext(sft.rows), byContext(ppo.rows))
  const disagreeing = pick(test, 'up', 'lost')
  const blocks: Block[] = [
    {
      kind: 'tables',
      tables: [
        quadrantTable(
          'test',
          `Reward × rubric, SFT → PPO: test prompts, n = ${integer(test.length)}`,
          countQuadrants(test),
        ),
        quadrantTable(
          'contexts',
          `Reward × rubric, SFT → PPO: distinct prompts, n = ${integer(contexts.length)}`,
          countQuadrants(contexts),
        ),
      ],
    },
    {
      kind: 'text',
      tone: 'note',
      text: 'Up, equal and down compare the exact scores of PPO and SFT on the same prompt. Gained: failed the rubric after SFT, passes after PPO; lost: the other way round. The four corners are the quadrants; equal scores are most often identical responses.',
    },
    {
      kind: 'subheading',
      text: `Learned reward up, rubric lost: ${disagreeing.length} of ${test.length} test prompts`,
    },
  ]
  if (disagreeing.length === 0) blocks.push({ kind: 'text', text: 'None.' })
  else {
    blocks.push({
      kind: 'exchanges',
      id: 'texts-reward-up-rubric-lost',
      exchanges: disagreeing.slice(0, listed).map(exchange),
    })
    if (disagreeing.length > listed)
      blocks.push({
        kind: 'details',
        summary: `The other ${disagreeing.length - listed} cases`,
        blocks: [
          {
            kind: 'exchanges',
            id: 'texts-reward-up-rubric-lost-others',
            exchanges: disagreeing.slice(listed).map(exchange),
          },
        ],
      })
  }
  const elsewhere: readonly (readonly [RewardMove, RubricMove])[] = [
    ['up', 'gained'],
    ['down', 'gained'],
    ['down', 'lost'],
  ]
  for (const [reward, rubric] of elsewhere) {
    const cases = pick(test, reward, rubric)
    if (cases.length === 0) continue
    blocks.push({
      kind: 'details',
      summary: `Learned reward ${reward}, rubric ${rubric}: ${cases.length} of ${test.length}, ${Math.min(cases.length, examplesElsewhere)} shown`,
      blocks: [
        {
          kind: 'exchanges',
          id: `texts-reward-${reward}-rubric-${rubric}`,
          exchanges: cases.slice(0, examplesElsewhere).map(exchange),
        },
      ],
    })
  }
  return {
    id: 'quadrants',
    title,
    question,
    blocks,
    data: {
      test: countQuadrants(test),
      all_unique_contexts: countQuadrants(contexts),
      reward_up_rubric_lost: disagreeing.map((pair) => ({
        document_id: pair.after.document_id,
        learned_reward_change: pair.rewardChange,
        sft_text: pair.before.text,
        ppo_text: pair.after.text,
      })),
    },
  }
}

/** Largest change of the learned reward first; the row's name breaks ties. */
function pick(pairs: readonly PairedRow[], reward: RewardMove, rubric: RubricMove): PairedRow[] {
  return pairs
    .filter((pair) => pair.reward === reward && pair.rubric === rubric)
    .sort(
      (a, b) =>
        Math.abs(b.rewardChange) - Math.abs(a.rewardChange) || (a.after.document_id < b.after.document_id ? -1 : 1),
    )
}

function quadrantTable(of: string, caption: string, counts: QuadrantCounts): ReportTable {
  const total = (move: RubricMove) => rewardMoves.reduce((sum, reward) => sum + counts[reward][move], 0)
  const across = (reward: RewardMove) => rubricMoves.reduce((sum, move) => sum + counts[reward][move], 0)
  return {
    id: `table-quadrants-${of}`,
    caption,
    columns: [
      { label: 'SFT → PPO' },
      ...rubricMoves.map((move) => ({ label: rubricTitle[move], numeric: true })),
      { label: 'Sum', numeric: true },
    ],
    rows: [
      ...rewardMoves.map((reward) => ({
        cells: [
          moveTitle[reward],
          ...rubricMoves.map((move) => counted(counts[reward][move])),
          counted(across(reward)),
        ],
      })),
      {
        marked: true,
        cells: [
          'Sum',
          ...rubricMoves.map((move) => counted(total(move))),
          counted(rewardMoves.reduce((sum, reward) => sum + across(reward), 0)),
        ],
      },
    ],
  }
}

function exchange(pair: PairedRow): Exchange {
  return {
    heading: `${pair.after.document_id} · learned reward ${change(pair.rewardChange)}`,
    prompt: pair.after.prompt,
    responses: [judged('SFT', pair.before), judged('PPO', pair.after)],
  }
}
