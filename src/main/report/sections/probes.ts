/** Does politeness buy reward? Fixed candidates in 20 contexts, right or wrong, with and without polite words. */
import type { StudyDocument } from '../../../shared/study-document.ts'
import type { ProbeResult } from '../../../shared/study-results.ts'
import { change, interval } from '../number-text.ts'
import { changed, type Figure, measured, type ReportTable, type Section } from '../section.ts'
import { pending } from './pending.ts'
import { politenessFigure, politenessInOutputs } from './politeness-in-outputs.ts'

const title = 'Politeness probes'
const question = 'Does the reward model pay for politeness, and does it pay for it when the advice is wrong?'

interface Square {
  readonly family: string
  readonly rightPlain: number | null
  readonly rightPolite: number | null
  readonly wrongPlain: number | null
  readonly wrongPolite: number | null
  readonly rightDelta: number
  readonly wrongDelta: number
  readonly outranks: boolean
}

export function probesSection(document: StudyDocument): Section {
  const probes = document.results?.probes
  if (probes === undefined) return pending('probes', title, question, 'the probes')
  const squares = factorialSquares(probes)
  const k = probes.wrong_polite_outranks_correct_plain
  return {
    id: 'probes',
    title,
    question,
    blocks: [
      {
        kind: 'text',
        text:
          `Politeness changes the score of right advice by ${change(probes.mean_correct_politeness_delta)} on average ${interval(probes.correct_politeness_delta_interval)} and that of wrong advice by ` +
          `${change(probes.mean_incorrect_politeness_delta)} ${interval(probes.incorrect_politeness_delta_interval)} (95% bootstrap over ${probes.unique_contexts} contexts). ` +
          `Wrong but polite advice scores above right but plain advice in ${k} of ${probes.unique_contexts} contexts.`,
      },
      { kind: 'figures', width: 'wide', figures: [deltaFigure(probes, squares)] },
      {
        kind: 'figures',
        width: 'narrow',
        figures: [outrankFigure(squares, probes.unique_contexts), politenessFigure(document.results!)],
      },
      {
        kind: 'text',
        tone: 'note',
        text: `The count is a property of the reward model on fixed candidates. It does not say that PPO learned to be polite and wrong: for that the policy’s own responses must be read, which the right-hand figure counts. The ${probes.probe_rows} rows are ${probes.unique_contexts} contexts of four candidates each; the contexts, not the rows, are the units. No probe was used to learn or to choose anything${probes.reward_unchanged && probes.main_unchanged ? ', and the reward model and all main artefacts hash the same before and after' : ''}.`,
      },
      { kind: 'table', table: squaresTable(squares, probes) },
      {
        kind: 'details',
        summary: `Every candidate (${probes.rows.length})`,
        blocks: [{ kind: 'table', table: candidatesTable(probes) }],
      },
    ],
    data: { ...probes, squares, politeness_in_outputs: politenessInOutputs(document.results!) },
  }
}

function factorialSquares(probes: ProbeResult): Square[] {
  return probes.groups.map((group) => {
    const score = (correct: boolean, polite: boolean) =>
      probes.rows.find(
        (row) => row.family === group.family && row.candidate_correct === correct && row.candidate_polite === polite,
      )?.reward_score ?? null
    return {
      family: group.family,
      rightPlain: score(true, false),
      rightPolite: score(true, true),
      wrongPlain: score(false, false),
      wrongPolite: score(false, true),
      rightDelta: group.correct_politeness_delta,
      wrongDelta: group.incorrect_politeness_delta,
      outranks: group.incorrect_polite_above_correct_plain,
    }
  })
}

function deltaFigure(probes: ProbeResult, squares: readonly Square[]): Figure {
  // Sorted so that the shape of the distribution can be seen; the name breaks ties.
  const ordered = [...squares].sort((a, b) => b.wrongDelta - a.wrongDelta || (a.family < b.family ? -1 : 1))
  return {
    id: 'figure-probes-delta',
    title: 'What politeness adds to the learned reward',
    caption: `Score of the polite candidate less that of the plain one, same context and advice; contexts ordered by the effect on wrong advice. Bars: 95% bootstrap interval of the mean over ${probes.unique_contexts} contexts. Right of zero, politeness is paid for.`,
    chart: {
      kind: 'dots',
      xLabel: 'change of learned reward when polite words are added',
      series: [
        { name: 'right advice', role: 'reward', hollow: false },
        { name: 'wrong advice', role: 'reward', hollow: true },
      ],
      include: [0],
      rows: [
        ...ordered.map((square) => ({ label: square.family, values: [square.rightDelta, square.wrongDelta] })),
        {
          label: `Mean of ${probes.unique_contexts}`,
          summary: true,
          values: [probes.mean_correct_politeness_delta, probes.mean_incorrect_politeness_delta],
          intervals: [probes.correct_politeness_delta_interval, probes.incorrect_politeness_delta_interval],
        },
      ],
    },
    dataKey: 'probes.data.groups',
  }
}

function outrankFigure(squares: readonly Square[], contexts: number): Figure {
  return {
    id: 'figure-probes-outrank',
    title: 'Wrong and polite against right and plain',
    caption: `One point a context (n = ${contexts}); the dashed line is equality. Above it, wrong but polite advice outranks right but plain advice.`,
    chart: {
      kind: 'scatter',
      xLabel: 'learned reward, right and plain',
      yLabel: 'learned reward, wrong and polite',
      role: 'reward',
      aboveLabel: 'wrong-polite above right-plain',
      belowLabel: 'not above',
      points: squares.map((square) => ({ x: square.rightPlain, y: square.wrongPolite, label: square.family })),
    },
    dataKey: 'probes.data.squares',
  }
}

function squaresTable(squares: readonly Square[], probes: ProbeResult): ReportTable {
  return {
    id: 'table-probes-contexts',
    caption: `Every probe context (${squares.length}): learned reward of its four candidates, and what politeness adds`,
    columns: [
      { label: 'Context' },
      { label: 'Right, plain', numeric: true, role: 'reward' },
      { label: 'Right, polite', numeric: true, role: 'reward' },
      { label: 'Wrong, plain', numeric: true, role: 'reward' },
      { label: 'Wrong, polite', numeric: true, role: 'reward' },
      { label: 'Δ right', numeric: true },
      { label: 'Δ wrong', numeric: true },
      { label: 'Wrong-polite above right-plain' },
    ],
    rows: [
      ...squares.map((square) => ({
        cells: [
          square.family,
          measured(square.rightPlain),
          measured(square.rightPolite),
          measured(square.wrongPlain),
          measured(square.wrongPolite),
          changed(square.rightDelta),
          changed(square.wrongDelta),
          square.outranks ? '▲ yes' : 'no',
        ],
      })),
      {
        marked: true,
        cells: [
          'Mean',
          '',
          '',
          '',
          '',
          changed(probes.mean_correct_politeness_delta),
          changed(probes.mean_incorrect_politeness_delta),
          `${probes.wrong_polite_outranks_correct_plain} of ${probes.unique_contexts}`,
        ],
      },
    ],
  }
}

function candidatesTable(probes: ProbeResult): ReportTable {
  return {
    id: 'table-probes-candidates',
    caption: 'Every probe candidate with both judges',
    columns: [
      { label: 'Row' },
      { label: 'Advice' },
      { label: 'Candidate' },
      { label: 'Learned reward', numeric: true, role: 'reward' },
      { label: 'Rubric', role: 'rubric' },
    ],
    rows: probes.rows.map((row) => ({
      cells: [
        row.document_id,
        `${row.candidate_correct ? 'right' : 'wrong'}, ${row.candidate_polite ? 'polite' : 'plain'}`,
        row.candidate,
        measured(row.reward_score),
        row.rubric.rubric_success ? 'success' : (row.rubric.reason ?? row.rubric.status),
      ],
    })),
  }
}
