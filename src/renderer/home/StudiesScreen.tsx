/** Which studies are there, and how far are they? */
import { Button } from '@mantine/core'
import { useMemo } from 'react'
import type { StudyListing } from '../../shared/study-document.ts'
import { useAnswer } from '../bridge/index.ts'
import { CornerMenu, exportableTable } from '../charts/menu.ts'
import { type Column, Filters, filterRows, RowTable, useFilter, valuesOf } from '../lists/index.ts'
import { Answered, EmptyState, Icon, Screen, Status } from '../parts/index.ts'
import { go, hashOf } from '../routes/index.ts'
import { stageWords } from '../shell/job-words.ts'
import { ago, moment } from '../words/index.ts'
import { studiesTable } from './list-tables.ts'
import { Machine } from './Machine.tsx'

const columns: readonly Column<StudyListing>[] = [
  { name: 'study', wide: true, cell: ({ name }) => name },
  { name: 'state', cell: ({ status }) => <Status status={status} /> },
  { name: 'next', spare: 'last', cell: ({ next_stage: next }) => (next === null ? '' : stageWords[next]) },
  { name: 'preset', spare: 'first', cell: ({ preset }) => preset },
  { name: 'seed', numeric: true, spare: 'first', cell: ({ seed }) => seed },
  {
    name: 'begun',
    cell: ({ created_at: at }) => (
      <time dateTime={at} title={moment(at)}>
        {ago(at)}
      </time>
    ),
  },
]

const fieldOf = (study: StudyListing, field: string): string => {
  if (field === 'stage') return study.next_stage === null ? '' : stageWords[study.next_stage]
  return field === 'status' ? study.status : study.preset
}

export default function StudiesScreen() {
  const studies = useAnswer('studies.list', {})
  const start = (
    <Button
      leftSection={<Icon name="plus" size={14} />}
      onClick={() => go({ screen: 'new', wizard: 'data', study: null })}
    >
      New study
    </Button>
  )
  return (
    <Screen title="Studies" question="Which studies are there, and how far are they?" actions={start}>
      <Machine />
      <Answered answer={studies}>
        {(listed) =>
          listed.length === 0 ? (
            <EmptyState title="No study yet" action={start}>
              A study teaches a model from demonstrations, learns a reward from preferences, optimises against it, and
              measures what that reward misses. With the embedded model it needs minutes and no download.
            </EmptyState>
          ) : (
            <StudyTable listed={listed} />
          )
        }
      </Answered>
    </Screen>
  )
}

function StudyTable({ listed }: { readonly listed: readonly StudyListing[] }) {
  const [filter, setFilter] = useFilter('studies')
  const shown = useMemo(
    () => filterRows(listed, filter, (study) => `${study.name} ${study.study_id} seed ${study.seed}`, fieldOf),
    [listed, filter],
  )
  return (
    <>
      <Filters
        filter={filter}
        onChange={setFilter}
        shown={shown.length}
        all={listed.length}
        choices={[
          { field: 'status', label: 'State', values: valuesOf(listed, 'status', fieldOf) },
          { field: 'stage', label: 'Next stage', values: valuesOf(listed, 'stage', fieldOf) },
          { field: 'preset', label: 'Preset', values: valuesOf(listed, 'preset', fieldOf) },
        ]}
        menu={<CornerMenu exportable={exportableTable('studies', studiesTable(shown))} />}
      />
      {shown.length === 0 ? (
        <EmptyState title="Nothing fits the filter" />
      ) : (
        <RowTable
          name="Studies"
          columns={columns}
          rows={shown}
          keyOf={({ study_id }) => study_id}
          nameOf={({ name }) => name}
          hrefOf={({ study_id }) => hashOf({ screen: 'study', study: study_id })}
        />
      )}
    </>
  )
}
