/** Every measure's last, smallest and largest value, and the one at a step; differences to the baseline; seeds as mean ± sd. */
import { NumberInput, Title } from '@mantine/core'
import { useMemo } from 'react'
import { change, significant } from '../../main/report/number-text.ts'
import { type Cell, type Table, written } from '../../main/report/section.ts'
import type { RunView } from '../../shared/ipc.ts'
import { CornerMenu, exportableTable } from '../charts/index.ts'
import { Wide } from '../parts/index.ts'
import classes from './compare.module.css'
import { type ComparedMeasure, type Figures, figuresOf, seedGroups, spreadOf } from './compared.ts'
import { letter, seriesName } from './run-letters.ts'

interface Props {
  readonly views: readonly RunView[]
  readonly measures: readonly ComparedMeasure[]
  readonly baseline: number
  readonly step: number | null
  readonly onStep: (step: number | null) => void
}

interface Line {
  readonly measure: string
  readonly run: string
  readonly group: boolean
  readonly last: string
  readonly delta: string
  readonly min: string
  readonly max: string
  readonly atStep: string
  readonly exact: readonly (number | null)[]
}

export function FiguresTable({ views, measures, baseline, step, onStep }: Props) {
  const lines = useMemo(() => linesOf(views, measures, baseline, step), [views, measures, baseline, step])
  const groups = seedGroups(views)
  return (
    <>
      <div className={classes.section}>
        <Title order={2}>Figures</Title>
        <div style={{ display: 'flex', gap: 14, alignItems: 'center' }}>
          <NumberInput
            aria-label="At update"
            placeholder="at update…"
            w={110}
            min={1}
            allowDecimal={false}
            value={step ?? ''}
            onChange={(value) => onStep(typeof value === 'number' ? value : null)}
          />
          <CornerMenu exportable={exportableTable('figures', tableOf(lines, step))} />
        </div>
      </div>
      <p className={classes.note}>
        Baseline {letter(baseline)}; Δ is the last value less the baseline’s.{' '}
        {groups.length === 0
          ? 'Runs that differ in their seed alone get a line with mean ± standard deviation.'
          : `mean ± standard deviation (n − 1) over seeds: ${groups.map((group) => `${group.runs.map(letter).join(', ')} (seeds ${group.seeds.join(', ')})`).join('; ')}.`}
      </p>
      <Wide name="Figures of the runs">
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">measure</th>
              <th scope="col">run</th>
              {['last', 'Δ baseline', 'min', 'max', ...(step === null ? [] : [`at update ${step}`])].map((name) => (
                <th key={name} scope="col" data-numeric="true">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {lines.map((line, index) => {
              const first = lines[index - 1]?.measure !== line.measure
              return (
                <tr key={`${line.measure} ${line.run}`} data-first={first} data-group={line.group}>
                  <th scope="row">
                    <span className={first ? undefined : 'visually-hidden'}>{line.measure}</span>
                  </th>
                  <td>{line.run}</td>
                  <td data-numeric="true">{line.last}</td>
                  <td data-numeric="true" className={classes.delta}>
                    {line.delta}
                  </td>
                  <td data-numeric="true">{line.min}</td>
                  <td data-numeric="true">{line.max}</td>
                  {step !== null && <td data-numeric="true">{line.atStep}</td>}
                </tr>
              )
            })}
          </tbody>
        </table>
      </Wide>
    </>
  )
}

function linesOf(
  views: readonly RunView[],
  measures: readonly ComparedMeasure[],
  baseline: number,
  step: number | null,
): Line[] {
  const groups = seedGroups(views)
  return measures.flatMap((measure) => {
    const figures = measure.series.map((one) => (one === undefined ? null : figuresOf(one.points, step)))
    const base = figures[baseline]?.last ?? null
    const runs = figures.flatMap((one, index): Line[] =>
      one === null
        ? []
        : [
            {
              measure: measure.name,
              run: seriesName(views[index]!, index),
              group: false,
              last: significant(one.last),
              delta: index === baseline || one.last === null || base === null ? '' : change(one.last - base),
              min: significant(one.min),
              max: significant(one.max),
              atStep: significant(one.atStep),
              exact: [one.last, one.min, one.max, one.atStep],
            },
          ],
    )
    const spreads = groups.map((group): Line => {
      const of = (key: keyof Figures) => spreadOf(group.runs.map((index) => figures[index]?.[key] ?? null))
      const [last, min, max, at] = [of('last'), of('min'), of('max'), of('atStep')]
      return {
        measure: measure.name,
        run: `${group.runs.map(letter).join(', ')}: mean ± sd`,
        group: true,
        last: spreadText(last),
        delta: last === null ? '' : `n = ${last.n}`,
        min: spreadText(min),
        max: spreadText(max),
        atStep: spreadText(at),
        exact: [last, min, max, at].map((spread) => spread?.mean ?? null),
      }
    })
    return [...runs, ...spreads]
  })
}

function spreadText(spread: ReturnType<typeof spreadOf>): string {
  return spread === null ? '—' : `${significant(spread.mean)} ± ${significant(spread.sd)}`
}

function tableOf(lines: readonly Line[], step: number | null): Table {
  const cells = (line: Line): Cell[] => {
    const texts = [line.last, line.min, line.max, line.atStep]
    return texts.slice(0, step === null ? 3 : 4).map((text, index) => written(line.exact[index], text))
  }
  return {
    caption: 'Figures of the compared runs',
    columns: [
      { label: 'Measure' },
      { label: 'Run' },
      { label: 'Last', numeric: true },
      { label: 'Min', numeric: true },
      { label: 'Max', numeric: true },
      ...(step === null ? [] : [{ label: `At update ${step}`, numeric: true }]),
    ],
    rows: lines.map((line) => ({ cells: [line.measure, line.run, ...cells(line)], marked: line.group })),
  }
}
