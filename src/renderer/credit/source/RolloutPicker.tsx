/** Which rollouts of the source: marked one by one, or by group. None marked means all. */
import { Button, Checkbox, TextInput } from '@mantine/core'
import { useMemo, useState } from 'react'
import { decimal } from '../../../main/report/number-text.ts'
import type { TrajectoryListing } from '../../../shared/credit.ts'
import { type TableColumn, WindowedTable } from '../../samples/WindowedTable.tsx'
import { count } from '../../words/index.ts'
import classes from '../credit.module.css'

interface Props {
  readonly rows: readonly TrajectoryListing[]
  readonly chosen: readonly string[]
  readonly onChoose: (ids: readonly string[]) => void
}

export function RolloutPicker({ rows, chosen, onChoose }: Props) {
  const [text, setText] = useState('')
  const [at, setAt] = useState<string | null>(null)
  const marked = useMemo(() => new Set(chosen), [chosen])
  const shown = useMemo(() => {
    const wanted = text.trim().toLowerCase()
    if (wanted === '') return rows
    return rows.filter((row) => `${row.id} ${row.group} ${row.excerpt}`.toLowerCase().includes(wanted))
  }, [rows, text])
  const set = (ids: ReadonlySet<string>) => onChoose(rows.map(({ id }) => id).filter((id) => ids.has(id)))
  const toggle = (id: string) => {
    const next = new Set(marked)
    if (!next.delete(id)) next.add(id)
    set(next)
  }
  const group = rows.find(({ id }) => id === at)?.group
  return (
    <div className={classes.picker}>
      <div className={classes.bar}>
        <TextInput
          label="Filter rollouts"
          placeholder="id, group or words"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button variant="default" onClick={() => set(new Set(shown.map(({ id }) => id)))}>
          Mark {count(shown.length)} shown
        </Button>
        <Button variant="default" disabled={chosen.length === 0} onClick={() => onChoose([])}>
          All rollouts
        </Button>
        <Button
          variant="default"
          disabled={group === undefined}
          onClick={() => set(new Set(rows.filter((row) => row.group === group).map(({ id }) => id)))}
        >
          {group === undefined ? 'Only the group of the row' : `Only group ${group}`}
        </Button>
      </div>
      <WindowedTable
        name="Rollouts to choose from"
        columns={columnsOf(marked, toggle)}
        rows={shown}
        idOf={({ id }) => id}
        selected={at}
        onSelect={setAt}
        height={300}
      />
    </div>
  )
}

function columnsOf(
  marked: ReadonlySet<string>,
  toggle: (id: string) => void,
): readonly TableColumn<TrajectoryListing>[] {
  return [
    {
      label: 'mark',
      width: 52,
      cell: ({ id }) => (
        <Checkbox size="xs" aria-label={`Mark ${id}`} checked={marked.has(id)} onChange={() => toggle(id)} />
      ),
    },
    { label: 'rollout', width: 190, cell: ({ id }) => <span title={id}>{id}</span> },
    { label: 'group', width: 150, cell: ({ group }) => <span title={group}>{group}</span> },
    {
      label: 'reward',
      width: 90,
      numeric: true,
      cell: ({ reward }) => (reward === null ? 'abstained' : decimal(reward)),
    },
    { label: 'turns', width: 60, numeric: true, cell: ({ turns }) => turns },
    { label: 'actions', width: 70, numeric: true, cell: ({ actions }) => actions },
    { label: 'end', width: 90, cell: ({ truncated }) => (truncated ? 'truncated' : 'terminal') },
    { label: 'says', cell: ({ excerpt }) => <span title={excerpt}>{excerpt}</span> },
  ]
}
