/** Free responses of three policies, judged twice: every summary field, over every population. */
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
  type Column,
  changed,
  counted,
  measured,
  type ReportTable,
  type Section,
  shared,
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
        text: 'Test: one response per test prompt. The evaluation holds each probe prompt four times, with identical greedy responses: “once” counts distinct prompts, “rows” every row. UNCERTIFIED is prose outside the rubric’s grammar: not wrong, but never a success. Relevance and unsupported certainty are counted among recognised forms only, whose number is their denominator. Change is PPO less SFT. The sampled log-ratio is a mean over sampled tokens and can be negative; it is not a divergence.',
      },
      { kind: 'subheading', text: 'Everything counted, by population' },
      { kind: 'table', table: testTable(results) },
      ...repeated.map((both) => ({ kind: 'table', table: repeatedTable(results, both) }) as const),
      {
        kind: 'details',
        summary: `Every row: ${integer(results.actor.ppo.rows.length)} prompts, three policies, both judges`,
        blocks: [{ kind: 'table', table: everyRow(results) }],
      },
    ],
    data: { actor: results.actor, scope: results.scope },
  }
}

function bothJudges(results: StudyResults): ReportTable {
  const judge = (label: string, role: 'reward' | 'rubric') =>
    branchNames.map((branch) => ({ label: `${label}, ${branchTitle[branch]}`, numeric: true, role }))
  return {
    id: 'table-held-out-judges',
    caption: 'Both judges on every population: rubric success and mean learned reward by policy',
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

/** Prompts that stand in the evaluation several times: counted once each, and as often as they stand there. */
interface Repeated {
  readonly id: string
  readonly title: string
  readonly once: PopulationName
  readonly rows: PopulationName
}

const repeated: readonly Repeated[] = [
  { id: 'table-held-out-probes', title: 'Probe prompts', once: 'probe_unique_contexts', rows: 'probe_rows' },
  { id: 'table-held-out-all', title: 'Test and probe prompts', once: 'all_unique_contexts', rows: 'all_rows' },
]

function testTable(results: StudyResults): ReportTable {
  const of = (branch: BranchName) => results.actor[branch].metrics.test
  return {
    id: 'table-held-out-test',
    caption: `Test prompts, one response each, n = ${integer(of('ppo').rows)}`,
    columns: [{ label: 'Field' }, ...policyColumns(), { label: 'Change', numeric: true }],
    rows: fields.map(({ label, cell, difference }) => ({
      cells: [label, ...branchNames.map((branch) => cell(of(branch))), difference?.(of('sft'), of('ppo')) ?? ''],
    })),
  }
}

function repeatedTable(results: StudyResults, { id, title, once, rows }: Repeated): ReportTable {
  const of = (branch: BranchName, name: PopulationName) => results.actor[branch].metrics[name]
  const n = (name: PopulationName) => integer(of('ppo', name).rows)
  return {
    id,
    caption: `${title}: each distinct prompt once (n = ${n(once)}), and every row (n = ${n(rows)})`,
    columns: [
      { label: 'Field' },
      ...policyColumns('once'),
      { label: 'Change, once', numeric: true },
      ...policyColumns('rows'),
    ],
    rows: fields.map(({ label, cell, difference }) => ({
      cells: [
        label,
        ...branchNames.map((branch) => cell(of(branch, once))),
        difference?.(of('sft', once), of('ppo', once)) ?? '',
        ...branchNames.map((branch) => cell(of(branch, rows))),
      ],
    })),
  }
}

function policyColumns(counted?: string): Column[] {
  return branchNames.map((branch) => ({
    label: counted === undefined ? branchTitle[branch] : `${branchTitle[branch]}, ${counted}`,
    numeric: true,
  }))
}

function everyRow(results: StudyResults): ReportTable {
  const byDocument = branchNames.map(
    (branch) => new Map(results.actor[branch].rows.map((row) => [row.document_id, row])),
  )
  return {
    id: 'table-held-out-rows',
    caption: 'Every held-out row: learned reward and rubric verdict by policy; texts and token ids are in report.json',
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
