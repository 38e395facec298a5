/** The responses PPO sampled while it learned, judged by both judges; each quadrant filters the table. */
import { NativeSelect, TextInput } from '@mantine/core'
import { useSessionStorage } from '@mantine/hooks'
import { useCallback, useMemo, useRef, useState } from 'react'
import { change, decimal } from '../../main/report/number-text.ts'
import type { RolloutListing } from '../../shared/ipc.ts'
import { CornerMenu } from '../charts/index.ts'
import { EmptyState } from '../parts/index.ts'
import { reportPlaces } from '../reports/report-places.ts'
import { go } from '../routes/index.ts'
import { count } from '../words/index.ts'
import { finishWords } from './finish-words.ts'
import { QuadrantPlot } from './QuadrantPlot.tsx'
import { RolloutDetail } from './RolloutDetail.tsx'
import { filterRows, medianReward, noFilter, rolloutRow, type SampleFilter, type SampleRow } from './sample-rows.ts'
import { sampleExportable } from './sample-table.ts'
import classes from './samples.module.css'
import { useRowKeys } from './use-row-keys.ts'
import { Verdict } from './Verdict.tsx'
import { type TableColumn, WindowedTable } from './WindowedTable.tsx'

interface Props {
  readonly studyId: string
  readonly rollouts: readonly RolloutListing[]
}

const columns: readonly TableColumn<SampleRow>[] = [
  { label: 'Step', title: 'PPO iteration', width: 52, numeric: true, cell: (row) => row.step },
  { label: 'Prompt', width: 96, cell: (row) => row.prompt },
  { label: 'Response', cell: (row) => <span title={row.response}>{row.response.replaceAll('\n', ' ⏎ ')}</span> },
  { label: 'Finish', width: 62, cell: (row) => finishWords[row.finish] },
  { label: 'Tokens', width: 60, numeric: true, cell: (row) => row.tokens },
  { label: '● Reward', title: 'learned reward', width: 78, numeric: true, cell: (row) => decimal(row.reward) },
  { label: '■ Rubric', width: 164, cell: (row) => <Verdict rubric={row.rubric} /> },
  { label: 'Judge', title: 'reward part: judge', width: 68, numeric: true, cell: (row) => change(row.parts?.judge) },
  { label: 'KL', title: 'reward part: KL', width: 86, numeric: true, cell: (row) => change(row.parts?.kl) },
  {
    label: 'Trunc.',
    title: 'reward part: truncation',
    width: 62,
    numeric: true,
    cell: (row) => change(row.parts?.truncation, 1),
  },
]

export function TrainingSamples({ studyId, rollouts }: Props) {
  const rows = useMemo(() => rollouts.map(rolloutRow), [rollouts])
  const median = useMemo(() => medianReward(rows), [rows])
  const [filter, setFilter] = useSessionStorage<SampleFilter>({
    key: `recompense.samples.${studyId}`,
    defaultValue: noFilter,
    getInitialValueInEffect: false,
  })
  const [selected, select] = useState<string | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const shown = useMemo(() => filterRows(rows, filter, median), [rows, filter, median])
  const ids = useMemo(() => shown.map((row) => row.id), [shown])
  const open = useCallback((id: string) => go({ screen: 'lattice', study: studyId, rollout: id }), [studyId])
  useRowKeys({ ids, selected, onSelect: select, onOpen: open, filter: input })
  if (rows.length === 0) {
    return (
      <EmptyState title="No sampled response yet">
        Responses appear here with the first PPO iteration: their texts, both judges’ verdicts and the parts of their
        reward.
      </EmptyState>
    )
  }
  const row = rows.find(({ id }) => id === selected) ?? null
  return (
    <>
      <h2 className="visually-hidden">The two judges</h2>
      <div className={classes.upper}>
        <QuadrantPlot
          rows={rows}
          threshold={median}
          thresholdWords={`high: at or above the median, ${decimal(median)}`}
          chosen={filter.quadrant}
          onChoose={(quadrant) => setFilter({ ...filter, quadrant })}
          selected={selected}
          report={{ study: studyId, at: reportPlaces.rollouts }}
        />
        <RolloutDetail studyId={studyId} row={row} />
      </div>
      <div className={classes.bar}>
        <TextInput
          ref={input}
          aria-label="Filter responses"
          placeholder="Filter by words  ( / )"
          value={filter.text}
          onChange={(event) => setFilter({ ...filter, text: event.currentTarget.value })}
          w={240}
        />
        <NativeSelect
          aria-label="Finish"
          data={[
            { value: 'all', label: 'any finish' },
            { value: 'eos', label: 'ended by itself' },
            { value: 'length', label: 'cut at the limit' },
          ]}
          value={filter.finish}
          onChange={(event) => setFilter({ ...filter, finish: event.currentTarget.value as SampleFilter['finish'] })}
        />
        <span className={classes.barText} role="status">
          {count(shown.length)} of {count(rows.length)} responses
        </span>
        <span className={classes.spring} />
        <span className={classes.barText}>j and k move, Enter opens the tokens</span>
        <CornerMenu exportable={sampleExportable(shown, studyId)} />
      </div>
      <WindowedTable
        name="Sampled responses"
        columns={columns}
        rows={shown}
        idOf={(one) => one.id}
        selected={selected}
        onSelect={select}
        onOpen={open}
        height={430}
      />
      {shown.length === 0 && <p className={classes.empty}>No response matches the filter.</p>}
    </>
  )
}
