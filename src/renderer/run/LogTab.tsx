/** What happened while the run ran, newest first, in pages: as the workbench wrote it down, beside the run. */
import { Button, Group, Switch } from '@mantine/core'
import { useMemo, useState } from 'react'
import { utc } from '../../main/report/number-text.ts'
import type { RunLogView } from '../../shared/ipc.ts'
import { useAnswer } from '../bridge/index.ts'
import { CornerMenu, exportableTable } from '../charts/index.ts'
import { Answered, EmptyState } from '../parts/index.ts'
import { count, counted } from '../words/index.ts'
import { kindWords, toneOf } from './log-words.ts'
import classes from './run.module.css'

const page = 200

export function LogTab({ runId }: { readonly runId: string }) {
  const answer = useAnswer('runs.log', { run_id: runId })
  return (
    <Answered answer={answer} what="Reading the log">
      {(log) => <Log log={log} />}
    </Answered>
  )
}

function Log({ log }: { readonly log: RunLogView }) {
  const [commits, showCommits] = useState(true)
  const [shown, setShown] = useState(page)
  const lines = useMemo(() => log.lines.filter(({ kind }) => commits || kind !== 'commit').toReversed(), [log, commits])
  if (log.lines.length === 0) {
    return (
      <EmptyState title="Nothing is written down yet">
        The log begins when the run begins; runs made before logs were kept have none.
      </EmptyState>
    )
  }
  const table = {
    caption: 'Log of the run',
    columns: [{ label: 'When' }, { label: 'Kind' }, { label: 'What' }],
    rows: lines.map(({ at, kind, text }) => ({ cells: [at, kind, text] })),
  }
  const left = log.left_out === 0 ? '' : ` ${count(log.left_out)} older ones gave way, every other commit first.`
  return (
    <>
      <div className={classes.tableHead}>
        <span>
          {counted(lines.length, 'line')}, newest first.{left} Every update stands in the curves.
        </span>
        <Group gap="md">
          <Switch
            size="xs"
            label="commits"
            checked={commits}
            onChange={(event) => showCommits(event.currentTarget.checked)}
          />
          <CornerMenu exportable={exportableTable('log', table)} />
        </Group>
      </div>
      <table className={classes.log} aria-label="Log of the run">
        <tbody>
          {lines.slice(0, shown).map(({ at, kind, text }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place, counted from the oldest
            <tr key={lines.length - index} data-tone={toneOf(kind)}>
              <td>{utc(at)}</td>
              <td>{kindWords[kind]}</td>
              <td>{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown < lines.length && (
        <Group mt="sm">
          <Button variant="default" onClick={() => setShown(shown + page)}>
            Show {Math.min(page, lines.length - shown)} more
          </Button>
        </Group>
      )}
    </>
  )
}
