/** Which runs are there, of every study and of rows of one's own? Marked runs can be compared. */
import { Button } from '@mantine/core'
import { useMemo, useState } from 'react'
import type { RunListing } from '../../shared/ipc.ts'
import { useAnswer } from '../bridge/index.ts'
import { CornerMenu, exportableTable } from '../charts/menu.ts'
import { type Column, Filters, filterRows, RowTable, useFilter, valuesOf } from '../lists/index.ts'
import { Answered, EmptyState, Screen, Status } from '../parts/index.ts'
import { go, hashOf } from '../routes/index.ts'
import { ago, count, moment } from '../words/index.ts'
import { runsTable } from './list-tables.ts'
import { modelName, stageName } from './run-words.ts'

/** As many as can be told apart in one chart. */
const mostCompared = 8

const columns: readonly Column<RunListing>[] = [
  { name: 'run', cell: (run) => stageName(run) },
  { name: 'study', wide: true, cell: ({ study_name: name }) => name ?? 'rows of one’s own' },
  { name: 'state', cell: ({ status }) => <Status status={status} /> },
  {
    name: 'updates',
    numeric: true,
    spare: 'last',
    // A run that scores or generates has none.
    cell: ({ updates, total }) => (total === 0 ? '—' : `${count(updates)} / ${count(total)}`),
  },
  { name: 'model', spare: 'first', cell: ({ model }) => <span title={model}>{modelName(model)}</span> },
  { name: 'preset', spare: 'first', cell: ({ preset }) => preset ?? '' },
  {
    name: 'begun',
    spare: 'last',
    cell: ({ created_at: at }) => (
      <time dateTime={at} title={moment(at)}>
        {ago(at)}
      </time>
    ),
  },
]

const fieldOf = (run: RunListing, field: string): string => {
  if (field === 'status') return run.status
  if (field === 'stage') return stageName(run)
  return field === 'model' ? modelName(run.model) : (run.preset ?? '')
}

export default function RunsScreen() {
  const runs = useAnswer('runs.list', {})
  return (
    <Screen title="Runs" question="Which runs are there, of every study and of rows of one’s own?">
      <Answered answer={runs}>
        {(listed) =>
          listed.length === 0 ? (
            <EmptyState
              title="No run yet"
              action={<Button onClick={() => go({ screen: 'new', wizard: 'sft', study: null })}>New run</Button>}
            >
              Each learning stage of a study is a run; so is a stage on rows of your own.
            </EmptyState>
          ) : (
            <RunTable listed={listed} />
          )
        }
      </Answered>
    </Screen>
  )
}

function RunTable({ listed }: { readonly listed: readonly RunListing[] }) {
  const [filter, setFilter] = useFilter('runs')
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  const shown = useMemo(
    () =>
      filterRows(
        listed,
        filter,
        (run) => `${stageName(run)} ${run.study_name ?? ''} ${run.run_id} ${run.model}`,
        fieldOf,
      ),
    [listed, filter],
  )
  const mark = (key: string) => {
    setMarked((was) => {
      const now = new Set(was)
      if (!now.delete(key) && now.size < mostCompared) now.add(key)
      return now
    })
  }
  const choice = (field: string, label: string) => ({ field, label, values: valuesOf(listed, field, fieldOf) })
  return (
    <>
      <Filters
        filter={filter}
        onChange={setFilter}
        shown={shown.length}
        all={listed.length}
        choices={[
          choice('stage', 'Stage'),
          choice('status', 'State'),
          choice('model', 'Model'),
          choice('preset', 'Preset'),
        ]}
        menu={<CornerMenu exportable={exportableTable('runs', runsTable(shown))} />}
      />
      <Button
        variant="default"
        mb={6}
        disabled={marked.size < 2}
        onClick={() => go({ screen: 'compare', runs: [...marked] })}
      >
        {marked.size < 2 ? `Mark 2 to ${mostCompared} runs to compare them` : `Compare ${marked.size} runs`}
      </Button>
      {shown.length === 0 ? (
        <EmptyState title="Nothing fits the filter" />
      ) : (
        <RowTable
          name="Runs"
          columns={columns}
          rows={shown}
          keyOf={({ run_id }) => run_id}
          nameOf={(run) => `${stageName(run)} of ${run.study_name ?? 'own rows'}`}
          hrefOf={({ run_id }) => hashOf({ screen: 'run', run: run_id })}
          marked={marked}
          onMark={mark}
        />
      )}
    </>
  )
}
