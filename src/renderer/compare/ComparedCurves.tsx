/** The runs' curves over each other, one chart a measure; each run keeps its colour, dashes and shape everywhere. */
import { Switch, Title } from '@mantine/core'
import { useMemo, useState } from 'react'
import type { RunView } from '../../shared/ipc.ts'
import { CursorGroup, LineChart, runStroke } from '../charts/index.ts'
import { stepDomain } from '../run/measures.ts'
import { seriesOf } from '../run/run-charts.ts'
import classes from './compare.module.css'
import { type ComparedMeasure, headlineMeasures } from './compared.ts'
import { seriesName } from './run-letters.ts'

interface Props {
  readonly views: readonly RunView[]
  readonly measures: readonly ComparedMeasure[]
}

export function ComparedCurves({ views, measures }: Props) {
  const [all, showAll] = useState(false)
  const [smooth, setSmooth] = useState(true)
  const last = Math.max(...views.map((view) => stepDomain(view)[1]))
  const shown = all ? measures : measures.filter(({ id }) => headlineMeasures.has(id))
  const charts = useMemo(
    () =>
      shown.map((measure) => ({
        id: measure.id,
        name: measure.name,
        strokes: measure.series.flatMap((one, index) => (one === undefined ? [] : [runStroke(index)])),
        chart: {
          kind: 'line' as const,
          xLabel: 'update',
          yLabel: measure.name,
          xDomain: [1, Math.max(2, last)] as const,
          include: measure.series.find((one) => one !== undefined)?.include ?? [],
          series: measure.series.flatMap((one, index) =>
            one === undefined
              ? []
              : [{ ...seriesOf(one, smooth), role: runStroke(index).role, name: seriesName(views[index]!, index) }],
          ),
        },
      })),
    [shown, smooth, last, views],
  )
  return (
    <>
      <div className={classes.section}>
        <Title order={2}>Curves</Title>
        <div style={{ display: 'flex', gap: 20 }}>
          <Switch
            size="xs"
            label="smoothed, over the raw values"
            checked={smooth}
            onChange={(event) => setSmooth(event.currentTarget.checked)}
          />
          <Switch
            size="xs"
            label="every measure"
            checked={all}
            onChange={(event) => showAll(event.currentTarget.checked)}
          />
        </div>
      </div>
      <CursorGroup>
        <div className={classes.charts}>
          {charts.map((one) => (
            <LineChart
              key={one.id}
              name={`compare-${one.id}`}
              title={one.name[0]!.toUpperCase() + one.name.slice(1)}
              chart={one.chart}
              strokes={one.strokes}
            />
          ))}
        </div>
      </CursorGroup>
    </>
  )
}
