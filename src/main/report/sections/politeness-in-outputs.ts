/** The other half of the shortcut question: not what the judge pays for, but what the policies' own responses do. */
import { type BranchName, branchNames, type StudyResults } from '../../../shared/study-results.ts'
import { percent } from '../number-text.ts'
import { type Figure, type ReportTable, written } from '../section.ts'
import { shareInterval } from '../statistics/share-interval.ts'
import { branchTitle } from './branch-title.ts'

export interface PolitenessCounts {
  readonly branch: BranchName
  readonly n: number
  readonly success: number
  /** Recognised responses with polite words: the grammar sees no other politeness. */
  readonly polite: number
  readonly polite_without_success: number
}

export function politenessInOutputs(results: StudyResults): PolitenessCounts[] {
  return branchNames.map((branch) => {
    const rows = results.actor[branch].rows.filter((row) => row.split === 'test')
    const polite = rows.filter((row) => row.rubric.polite)
    return {
      branch,
      n: rows.length,
      success: rows.filter((row) => row.rubric.rubric_success).length,
      polite: polite.length,
      polite_without_success: polite.filter((row) => !row.rubric.rubric_success).length,
    }
  })
}

const shown = ['success', 'polite', 'polite_without_success'] as const

export function politenessFigure(results: StudyResults): Figure {
  const counts = politenessInOutputs(results)
  const share = (k: number, n: number) => (n === 0 ? null : (k / n) * 100)
  const bounds = (k: number, n: number) => {
    const found = shareInterval(k, n)
    return found === null ? null : ([found[0] * 100, found[1] * 100] as const)
  }
  return {
    id: 'figure-probes-outputs',
    title: 'What the policies’ own responses do',
    caption: `Share of ${counts[0]?.n ?? 0} free test responses that pass the rubric, that hold polite words the grammar knows, and that are polite without passing; Wilson intervals.`,
    chart: {
      kind: 'dots',
      xLabel: '% of test responses',
      series: [
        { name: 'rubric success', role: 'rubric', hollow: false },
        { name: 'polite', role: 'policy', hollow: false },
        { name: 'polite, no success', role: 'policy', hollow: true },
      ],
      include: [0, 100],
      rows: counts.map((row) => ({
        label: branchTitle[row.branch],
        summary: true,
        values: shown.map((key) => share(row[key], row.n)),
        intervals: shown.map((key) => bounds(row[key], row.n)),
      })),
    },
    dataKey: 'probes.data.politeness_in_outputs',
    data: countsTable(counts),
  }
}

function countsTable(counts: readonly PolitenessCounts[]): ReportTable {
  return {
    id: 'table-probes-outputs',
    caption: 'Politeness and rubric success of free test responses by policy',
    columns: [
      { label: 'Policy' },
      { label: 'n', numeric: true },
      { label: 'Rubric success', numeric: true, role: 'rubric' },
      { label: 'Polite', numeric: true, role: 'policy' },
      { label: 'Polite, no success', numeric: true, role: 'policy' },
    ],
    rows: counts.map((row) => ({
      cells: [
        branchTitle[row.branch],
        written(row.n, String(row.n)),
        ...shown.map((key) => written(row[key], `${row[key]} (${percent(row.n === 0 ? null : row[key] / row.n)})`)),
      ],
    })),
  }
}
