/** Free responses of three policies, judged twice: every summary field, over all five populations. */
import type { StudyDocument } from '../../../shared/study-document.ts'
import {
  type BranchName,
  branchNames,
  type EvaluationSummary,
  type PopulationName,
  populationNames,
  type StudyResults,
} from '../../../shared/study-results.ts'
import { integer, percent, points } from '../number-text.ts'
import {
  type Cell,
  changed,
  counted,
  measured,
  type Row,
  type Section,
  shared,
  type Table,
  written,
} from '../section.ts'
import { branchTitle, populationTitle } from './branch-title.ts'
import { pending } from './pending.ts'

const title = 'Held-out evaluation'
const question = 'What do both judges say about free, greedy responses to prompts no stage has seen?'

interface Field {
  readonly label: string
  readonly cell: (summary: EvaluationSummary) => Cell
  /** PPO less SFT, where a difference means something. */
  readonly difference?: (from: EvaluationSummary, to: EvaluationSummary) => Cell
}

const countField = (label: string, key: keyof EvaluationSummary): Field => ({
  label,
  cell: (summary) => counted(Number(summary[key])),
  difference: (from, to) => changed(Number(to[key]) - Number(from[key]), 0),
})
const shareField = (label: string, key: keyof EvaluationSummary): Field => ({
  label,
  cell: (summary) => shared(Number(summary[key])),
  difference: (from, to) => {
    const share = Number(to[key]) - Number(from[key])
    return written(share, points(share))
  },
})
const meanField = (label: string, key: keyof EvaluationSummary, digits: number): Field => ({
  label,
  cell: (summary) => measured(Number(summary[key]), digits),
  difference: (from, to) => changed(Number(to[key]) - Number(from[key]), digits),
})

/** In the order of the summary itself; the first two judge, the rest explains. */
const fields: readonly Field[] = [
  countField('Rows', 'rows'),
  countField('Rubric success', 'rubric_success'),
  shareField('Rubric success rate', 'rubric_success_rate'),
  meanField('Mean learned reward', 'mean_learned_reward', 3),
  countField('Recognised', 'recognized'),
  shareField('Recognised rate', 'recognized_rate'),
  countField('UNCERTIFIED', 'uncertified'),
  countField('Relevant', 'relevant_recognized'),
  countField('Unsupported certainty', 'unsupported_certainty_recognized'),
  countField('Recognised (denominator)', 'uncertainty_denominator'),
  countField('Declared refusals', 'declared_refusals'),
  countField('Without EOS', 'without_eos'),
  meanField('Mean response tokens', 'mean_response_tokens', 2),
  meanField('Mean sampled log-ratio', 'mean_sampled_actor_reference_logratio', 4),
  {
    label: 'Claims human utility',
    cell: (summary) => (summary.human_utility_claim ? 'yes' : 'no'),
  },
]

export function heldOutSection(document: StudyDocument): Section {
  const { results } = document
  if (results === null) return pending('held-out', title, question, 'the held-out evaluation')
  return {
    id: 'held-out',
    title,
    question,
    blocks: [
      { kind: 'table', table: bothJudges(results) },
      {
        kind: 'text',
        tone: 'note',
        text: 'Test: one response per test prompt. Probe rows repeat each probe prompt four times with identical greedy responses; probe contexts and all distinct contexts count each prompt once. UNCERTIFIED is prose outside the rubric’s grammar: not wrong, but never a success. Relevance and unsupported certainty are counted among recognised forms only, whose number is their denominator. Change is PPO less SFT. The sampled log-ratio is a mean over sampled tokens and can be negative; it is not a divergence.',
      },
      { kind: 'subheading', text: 'Every field, by population' },
      { kind: 'tables', tables: populationNames.map((name) => populationTable(results, name)) },
      {
        kind: 'details',
        summary: `Every row: ${results.actor.ppo.rows.length} prompts, three policies, both judges`,
        blocks: [{ kind: 'table', table: everyRow(results) }],
      },
    ],
    data: { actor: results.actor, scope: results.scope },
  }
}

function bothJudges(results: StudyResults): Table {
  const judge = (label: string, role: 'reward' | 'rubric') =>
    branchNames.map((branch) => ({ label: `${label}, ${branchTitle[branch]}`, numeric: true, role }))
  return {
    caption: 'Rubric and learned reward side by side',
    columns: [
      { label: 'Population' },
      { label: 'n', numeric: true },
      ...judge('Rubric', 'rubric'),
      ...judge('Learned reward', 'reward'),
    ],
    rows: populationNames.map((name) => {
      const of = (branch: BranchName) => results.actor[branch].metrics[name]
      return {
        cells: [
          populationTitle[name],
          counted(of('ppo').rows),
          ...branchNames.map((branch) => {
            const summary = of(branch)
            return written(
              summary.rubric_success,
              `${integer(summary.rubric_success)} (${percent(summary.rubric_success_rate)})`,
            )
          }),
          ...branchNames.map((branch) => measured(of(branch).mean_learned_reward)),
        ],
      }
    }),
  }
}

function populationTable(results: StudyResults, name: PopulationName): Table {
  const of = (branch: BranchName) => results.actor[branch].metrics[name]
  return {
    caption: `${populationTitle[name]} (${name}), n = ${of('ppo').rows}`,
    columns: [
      { label: 'Field' },
      ...branchNames.map((branch) => ({ label: branchTitle[branch], numeric: true })),
      { label: 'Change', numeric: true },
    ],
    rows: fields.map(
      (field): Row => ({
        cells: [
          field.label,
          ...branchNames.map((branch) => field.cell(of(branch))),
          field.difference?.(of('sft'), of('ppo')) ?? '',
        ],
      }),
    ),
  }
}

function everyRow(results: StudyResults): Table {
  const byDocument = branchNames.map(
    (branch) => new Map(results.actor[branch].rows.map((row) => [row.document_id, row])),
  )
  return {
    caption: 'Learned reward and rubric verdict by row; texts and token ids are in report.json',
    columns: [
      { label: 'Row' },
      { label: 'Family' },
      ...branchNames.map((branch) => ({
        label: `Reward, ${branchTitle[branch]}`,
        numeric: true,
        role: 'reward' as const,
      })),
      ...branchNames.map((branch) => ({ label: `Rubric, ${branchTitle[branch]}`, role: 'rubric' as const })),
    ],
    rows: results.actor.ppo.rows.map((row) => {
      const of = byDocument.map((rows) => rows.get(row.document_id))
      return {
        cells: [
          row.document_id,
          row.family,
          ...of.map((found) => measured(found?.learned_reward_score)),
          ...of.map((found) =>
            found === undefined
              ? '—'
              : found.rubric.rubric_success
                ? 'success'
                : (found.rubric.reason ?? found.rubric.status),
          ),
        ],
      }
    }),
  }
}
