/** The run's curves as small multiples on one step axis, read at one step together; then where its time went. */
import { useMemo } from 'react'
import type { RunView } from '../../shared/ipc.ts'
import { CursorGroup, LineChart, StackedBars } from '../charts/index.ts'
import { EmptyState } from '../parts/index.ts'
import { placeOfRunChart } from '../reports/report-places.ts'
import { phasesOf } from './phases.ts'
import classes from './run.module.css'
import { runCharts } from './run-charts.ts'

export function CurvesTab({ view, learns }: { readonly view: RunView; readonly learns: boolean }) {
  const charts = useMemo(() => (learns ? runCharts(view) : []), [view, learns])
  const study = view.study_id ?? undefined
  const phases = phasesOf(view.run.seconds).parts
  if (charts.length === 0 && phases.length === 0) {
    return (
      <EmptyState title={learns ? 'No update yet' : 'This run learns nothing'}>
        {learns
          ? 'Curves begin with the first optimizer update.'
          : 'It generates or scores; what came out is in the study’s samples and probes.'}
      </EmptyState>
    )
  }
  return (
    <CursorGroup>
      <h2 className="visually-hidden">Curves</h2>
      <div className={classes.charts}>
        {charts.map((one) => (
          <LineChart key={one.name} {...one} study={study} reportAt={placeOfRunChart(view.run, one.name)} />
        ))}
        {phases.length > 0 && (
          <div className={classes.wide}>
            <StackedBars
              name="phase-times"
              title="Where the time went"
              study={study}
              reportAt={placeOfRunChart(view.run, 'phase-times')}
              chart={{
                kind: 'bars',
                xLabel: 'seconds of work',
                segments: phases.map((phase) => phase.name),
                rows: [{ label: 'this run', values: phases.map((phase) => phase.seconds) }],
              }}
              caption="Over all sessions; time between an interruption and its resumption is not counted."
            />
          </div>
        )}
      </div>
    </CursorGroup>
  )
}
