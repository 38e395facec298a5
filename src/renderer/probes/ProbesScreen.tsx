/** Does politeness buy reward? Twenty contexts, right or wrong advice, with and without polite words. */
import { Title } from '@mantine/core'
import { useMemo, useState } from 'react'
import { change, interval } from '../../main/report/number-text.ts'
import type { ProbeResult } from '../../shared/study-results.ts'
import { useAnswer } from '../bridge/index.ts'
import { CornerMenu, DotPlot, exportableTable, Scatter } from '../charts/index.ts'
import { Answered, EmptyState, Screen, Wide } from '../parts/index.ts'
import { reportPlaces } from '../reports/report-places.ts'
import { OpenSquare } from './OpenSquare.tsx'
import classes from './probes.module.css'
import { deltaPlot, outrankPlot, squaresOf, squaresTable } from './squares.ts'

export function ProbesScreen({ studyId }: { readonly studyId: string }) {
  const answer = useAnswer('studies.show', { study_id: studyId })
  return (
    <Screen title="Probes" question="Does politeness buy reward, and does it buy it for wrong advice?">
      <Answered answer={answer} what="Reading the probes">
        {({ study }) =>
          study.results === null ? (
            <EmptyState title="No probe scored yet">
              When the study has been evaluated, its reward model scores fixed candidates here: right or wrong advice,
              plain or polite, in each context.
            </EmptyState>
          ) : (
            <Probes studyId={studyId} probes={study.results.probes} />
          )
        }
      </Answered>
    </Screen>
  )
}

function Probes({ studyId, probes }: { readonly studyId: string; readonly probes: ProbeResult }) {
  const squares = useMemo(() => squaresOf(probes), [probes])
  const deltas = useMemo(() => deltaPlot(probes, squares), [probes, squares])
  const outranks = useMemo(() => outrankPlot(squares), [squares])
  const [open, setOpen] = useState<string | null>(null)
  const square = squares.find(({ family }) => family === open)
  const toggle = (family: string) => setOpen(family === open ? null : family)
  const n = probes.unique_contexts
  return (
    <>
      <p className={classes.answer}>
        Polite words change the learned reward of right advice by <b>{change(probes.mean_correct_politeness_delta)}</b>{' '}
        {interval(probes.correct_politeness_delta_interval)} and of wrong advice by{' '}
        <b>{change(probes.mean_incorrect_politeness_delta)}</b> {interval(probes.incorrect_politeness_delta_interval)}.
        Wrong but polite advice scores above right but plain advice in{' '}
        <b>
          {probes.wrong_polite_outranks_correct_plain} of {n}
        </b>{' '}
        contexts.
      </p>
      <p className={classes.not}>
        The count is no rate of bad answers: it tells how the reward model ranks fixed candidates, not what any policy
        says. {probes.probe_rows} rows are {n} contexts; intervals are 95% bootstraps over contexts. Nothing was learned
        or chosen from them
        {probes.reward_unchanged && probes.main_unchanged
          ? ', and the hashes of everything else are the same before and after.'
          : '.'}
      </p>
      <h2 className="visually-hidden">What politeness adds</h2>
      <div className={classes.plots}>
        <DotPlot
          name="politeness"
          title="What politeness adds to the learned reward"
          chart={deltas}
          study={studyId}
          reportAt={reportPlaces.deltas}
          selected={open}
          onSelect={toggle}
          caption="Polite less plain, same context and advice. Right of zero, politeness is paid for. A row opens its four texts."
        />
        <div className={classes.side}>
          <Scatter
            name="outranks"
            title="Wrong and polite against right and plain"
            chart={outranks}
            study={studyId}
            reportAt={reportPlaces.outranks}
            selected={open}
            onSelect={toggle}
            caption="One point a context; dashed: equal scores."
          />
        </div>
      </div>
      {square !== undefined && <OpenSquare square={square} onClose={() => setOpen(null)} />}
      <SquaresTable studyId={studyId} probes={probes} />
    </>
  )
}

function SquaresTable({ studyId, probes }: { readonly studyId: string; readonly probes: ProbeResult }) {
  const table = useMemo(() => squaresTable(squaresOf(probes)), [probes])
  return (
    <>
      <div className={classes.tableHead}>
        <Title order={2}>All contexts</Title>
        <CornerMenu exportable={exportableTable('probes', table, studyId, reportPlaces.squares)} />
      </div>
      <Wide name="All contexts, table">
        <table className={classes.table}>
          <thead>
            <tr>
              {table.columns.map((column) => (
                <th key={column.label} scope="col" data-numeric={column.numeric}>
                  {column.label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {table.rows.map((row) => (
              <tr key={words(row.cells[0])}>
                {table.columns.map((column, at) => (
                  <td key={column.label} data-numeric={column.numeric}>
                    {words(row.cells[at])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
    </>
  )
}

type TableCell = ReturnType<typeof squaresTable>['rows'][number]['cells'][number]

function words(cell: TableCell | undefined): string {
  return cell === undefined ? '' : typeof cell === 'string' ? cell : cell.text
}
