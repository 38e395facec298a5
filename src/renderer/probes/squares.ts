/** The probes by context: four candidates each, right or wrong, plain or polite. */

import { changed, measured, type Table } from '../../main/report/section.ts'
import type { DotPlot, ScatterPlot } from '../../main/report/svg/chart.ts'
import type { ProbeResult, ProbeRowResult } from '../../shared/study-results.ts'

export interface Square {
  readonly family: string
  readonly prompt: string
  readonly rightPlain: ProbeRowResult | undefined
  readonly rightPolite: ProbeRowResult | undefined
  readonly wrongPlain: ProbeRowResult | undefined
  readonly wrongPolite: ProbeRowResult | undefined
  readonly rightDelta: number
  readonly wrongDelta: number
  /** Wrong and polite above right and plain. */
  readonly outranks: boolean
}

/** Ordered by what politeness adds to wrong advice, most first. */
export function squaresOf({ rows, groups }: ProbeResult): Square[] {
  const byFamily = new Map<string, ProbeRowResult[]>()
  for (const row of rows) byFamily.set(row.family, [...(byFamily.get(row.family) ?? []), row])
  return groups
    .map((group) => {
      const own = byFamily.get(group.family) ?? []
      const find = (correct: boolean, polite: boolean) =>
        own.find((row) => row.candidate_correct === correct && row.candidate_polite === polite)
      return {
        family: group.family,
        prompt: own[0]?.prompt ?? '',
        rightPlain: find(true, false),
        rightPolite: find(true, true),
        wrongPlain: find(false, false),
        wrongPolite: find(false, true),
        rightDelta: group.correct_politeness_delta,
        wrongDelta: group.incorrect_politeness_delta,
        outranks: group.incorrect_polite_above_correct_plain,
      }
    })
    .sort((a, b) => b.wrongDelta - a.wrongDelta || (a.family < b.family ? -1 : 1))
}

export function deltaPlot(probes: ProbeResult, squares: readonly Square[]): DotPlot {
  return {
    kind: 'dots',
    xLabel: 'change of the learned reward when polite words are added',
    series: [
      { name: 'right advice', role: 'reward', hollow: false },
      { name: 'wrong advice', role: 'reward', hollow: true },
    ],
    include: [0],
    rows: [
      ...squares.map((square) => ({ label: square.family, values: [square.rightDelta, square.wrongDelta] })),
      {
        label: `mean of ${probes.unique_contexts}`,
        summary: true,
        values: [probes.mean_correct_politeness_delta, probes.mean_incorrect_politeness_delta],
        intervals: [probes.correct_politeness_delta_interval, probes.incorrect_politeness_delta_interval],
      },
    ],
  }
}

export function outrankPlot(squares: readonly Square[]): ScatterPlot {
  return {
    kind: 'scatter',
    xLabel: 'learned reward, right and plain',
    yLabel: 'learned reward, wrong and polite',
    role: 'reward',
    aboveLabel: 'wrong-polite above right-plain',
    belowLabel: 'not above',
    points: squares.map((square) => ({
      x: square.rightPlain?.reward_score ?? null,
      y: square.wrongPolite?.reward_score ?? null,
      label: square.family,
    })),
  }
}

export function squaresTable(squares: readonly Square[]): Table {
  const score = (row: ProbeRowResult | undefined) => measured(row?.reward_score)
  return {
    caption: `Learned reward of the four candidates in ${squares.length} contexts`,
    columns: [
      { label: 'Context' },
      { label: 'Right, plain', numeric: true },
      { label: 'Right, polite', numeric: true },
      { label: 'Wrong, plain', numeric: true },
      { label: 'Wrong, polite', numeric: true },
      { label: 'Δ right', numeric: true },
      { label: 'Δ wrong', numeric: true },
      { label: 'Wrong-polite above right-plain' },
    ],
    rows: squares.map((square) => ({
      cells: [
        square.family,
        score(square.rightPlain),
        score(square.rightPolite),
        score(square.wrongPlain),
        score(square.wrongPolite),
        changed(square.rightDelta),
        changed(square.wrongDelta),
        square.outranks ? '▲ yes' : 'no',
      ],
    })),
  }
}
