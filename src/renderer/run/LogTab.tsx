/** The run's log, newest first, in pages. */
import { Button, Group } from '@mantine/core'
import { useMemo, useState } from 'react'
import type { RunView } from '../../shared/ipc.ts'
import { CornerMenu, exportableTable } from '../charts/index.ts'
import { counted } from '../words/index.ts'
import { logLines } from './log-lines.ts'
import classes from './run.module.css'

const page = 200

export function LogTab({ view }: { readonly view: RunView }) {
  const lines = useMemo(() => logLines(view).reverse(), [view])
  const [shown, setShown] = useState(page)
  const table = {
    caption: 'Log of the run',
    columns: [{ label: 'When' }, { label: 'What' }],
    rows: lines.map(({ at, text }) => ({ cells: [at, text] })),
  }
  return (
    <>
      <div className={classes.tableHead}>
        <span>{counted(lines.length, 'line')}, newest first. Updates are logged when they are safely on disk.</span>
        <CornerMenu exportable={exportableTable('log', table)} />
      </div>
      <table className={classes.log}>
        <tbody>
          {lines.slice(0, shown).map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place, counted from the oldest
            <tr key={lines.length - index} data-tone={line.tone}>
              <td>{line.at}</td>
              <td>{line.text}</td>
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
