/** SFT and PPO side by side on the same held-out request. */
import { NativeSelect, TextInput } from '@mantine/core'
import { useMemo, useRef, useState } from 'react'
import { change, decimal } from '../../main/report/number-text.ts'
import type { PairedRow } from '../../main/report/statistics/quadrants.ts'
import type { StudyResults } from '../../shared/study-results.ts'
import { CornerMenu, exportableTable } from '../charts/index.ts'
import { reportPlaces } from '../reports/report-places.ts'
import { count } from '../words/index.ts'
import { Figures } from './Figures.tsx'
import { heldOutPairs, matches, type PairFilter, pairFilters } from './held-out-pairs.ts'
import { QuadrantPlot } from './QuadrantPlot.tsx'
import { evaluationRow, medianReward, type Quadrant, quadrantOf, verdictWords } from './sample-rows.ts'
import classes from './samples.module.css'
import { useRowKeys } from './use-row-keys.ts'
import { Verdict } from './Verdict.tsx'
import { type TableColumn, WindowedTable } from './WindowedTable.tsx'

const columns: readonly TableColumn<PairedRow>[] = [
  { label: 'Request', cell: ({ after }) => <span title={after.prompt}>{after.prompt}</span> },
  { label: '▲ SFT', title: 'SFT response', cell: ({ before }) => <span title={before.text}>{before.text}</span> },
  { label: '◆ PPO', title: 'PPO response', cell: ({ after }) => <span title={after.text}>{after.text}</span> },
  {
    label: 'Reward Δ',
    title: 'change of the learned reward, SFT to PPO',
    width: 78,
    numeric: true,
    cell: ({ rewardChange }) => change(rewardChange),
  },
  { label: 'SFT rubric', width: 158, cell: ({ before }) => <Verdict rubric={before.rubric} /> },
  { label: 'PPO rubric', width: 158, cell: ({ after }) => <Verdict rubric={after.rubric} /> },
]

const idOf = (pair: PairedRow) => pair.after.document_id

export function HeldOutSamples({ studyId, results }: { readonly studyId: string; readonly results: StudyResults }) {
  const pairs = useMemo(() => heldOutPairs(results), [results])
  const rows = useMemo(() => pairs.map(({ after }) => evaluationRow(after)), [pairs])
  const median = useMemo(() => medianReward(rows), [rows])
  const [text, setText] = useState('')
  const [filter, setFilter] = useState<PairFilter>('all')
  const [quadrant, setQuadrant] = useState<Quadrant | null>(null)
  const [selected, select] = useState<string | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const shown = useMemo(
    () =>
      pairs.filter(
        (pair) =>
          matches(pair, filter, text) &&
          (quadrant === null || quadrantOf(evaluationRow(pair.after), median) === quadrant),
      ),
    [pairs, filter, text, quadrant, median],
  )
  const ids = useMemo(() => shown.map(idOf), [shown])
  useRowKeys({ ids, selected, onSelect: select, filter: input })
  const pair = pairs.find((one) => idOf(one) === selected) ?? null
  return (
    <>
      <h2 className="visually-hidden">The two judges</h2>
      <div className={classes.upper}>
        <QuadrantPlot
          rows={rows}
          threshold={median}
          thresholdWords={`PPO policy; high: at or above the median, ${decimal(median)}`}
          chosen={quadrant}
          onChoose={setQuadrant}
          selected={selected}
          report={{ study: studyId, at: reportPlaces.heldOut }}
        />
        <PairDetail pair={pair} />
      </div>
      <div className={classes.bar}>
        <TextInput
          ref={input}
          aria-label="Filter responses"
          placeholder="Filter by words  ( / )"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          w={240}
        />
        <NativeSelect
          aria-label="How the judges moved"
          data={[...pairFilters]}
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value as PairFilter)}
        />
        <span className={classes.barText} role="status">
          {count(shown.length)} of {count(pairs.length)} held-out requests
        </span>
        <span className={classes.spring} />
        <CornerMenu exportable={exportableTable('held-out-pairs', tableOf(shown), studyId, reportPlaces.heldOutRows)} />
      </div>
      <WindowedTable
        name="Held-out responses of both policies"
        columns={columns}
        rows={shown}
        idOf={idOf}
        selected={selected}
        onSelect={select}
        height={430}
      />
      {shown.length === 0 && <p className={classes.empty}>No request matches the filter.</p>}
    </>
  )
}

function PairDetail({ pair }: { readonly pair: PairedRow | null }) {
  if (pair === null) {
    return (
      <div className={classes.detail}>
        <p className={classes.empty}>Choose a row to read both responses to the same request.</p>
      </div>
    )
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it may scroll
    <section className={classes.detail} aria-label="Both responses" tabIndex={0}>
      <h3>Request {pair.after.document_id}</h3>
      <p>{pair.after.prompt}</p>
      <div className={classes.pair}>
        {(['sft', 'ppo'] as const).map((branch) => {
          const row = branch === 'sft' ? pair.before : pair.after
          return (
            <div key={branch} className={classes.branch} data-branch={branch}>
              <h3>{branch === 'sft' ? '▲ SFT' : '◆ PPO'}</h3>
              <p>{row.text === '' ? '(empty)' : row.text}</p>
              <Figures row={evaluationRow(row)} />
            </div>
          )
        })}
      </div>
    </section>
  )
}

function tableOf(pairs: readonly PairedRow[]) {
  return {
    caption: `SFT and PPO on ${pairs.length} held-out requests`,
    columns: [
      { label: 'Request' },
      { label: 'SFT' },
      { label: 'PPO' },
      { label: 'Reward change', numeric: true },
      { label: 'SFT rubric' },
      { label: 'PPO rubric' },
    ],
    rows: pairs.map(({ before, after, rewardChange }) => ({
      cells: [
        after.prompt,
        before.text,
        after.text,
        { kind: 'number' as const, value: rewardChange, text: change(rewardChange) },
        verdictWords(before.rubric),
        verdictWords(after.rubric),
      ],
    })),
  }
}
