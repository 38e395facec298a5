/** Records as a plain table in pages of a hundred: the keyboard's and the screen reader's way into a chart. */
import { Button, Group, ScrollArea, Text } from '@mantine/core'
import { useState } from 'react'
import type { Records } from '../../main/report/csv/table-records.ts'
import { integer, significant } from '../../main/report/number-text.ts'

const page = 100

export function DataTable({ caption, records }: { readonly caption: string; readonly records: Records }) {
  const [start, setStart] = useState(0)
  const from = Math.min(start, Math.max(0, records.rows.length - 1))
  const shown = records.rows.slice(from, from + page)
  const numeric = records.head.map((_, column) => records.rows.some((row) => typeof row[column] === 'number'))
  return (
    <div>
      <ScrollArea.Autosize mah={260} type="auto" offsetScrollbars viewportProps={{ tabIndex: 0 }}>
        <table className="data-table">
          <caption>{caption}</caption>
          <thead>
            <tr>
              {records.head.map((name, column) => (
                <th key={name} scope="col" className={numeric[column] === true ? 'number' : undefined}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their place
              <tr key={from + index}>
                {row.map((field, column) => (
                  <td key={records.head[column]} className={numeric[column] === true ? 'number' : undefined}>
                    {field === null ? '—' : typeof field === 'string' ? field : written(field)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollArea.Autosize>
      {records.rows.length > page && (
        <Group gap="xs" mt={4}>
          <Button variant="default" disabled={from === 0} onClick={() => setStart(from - page)}>
            Previous
          </Button>
          <Text size="xs" c="dimmed">
            rows {integer(from + 1)}–{integer(Math.min(from + page, records.rows.length))} of{' '}
            {integer(records.rows.length)}
          </Text>
          <Button variant="default" disabled={from + page >= records.rows.length} onClick={() => setStart(from + page)}>
            Next
          </Button>
        </Group>
      )}
    </div>
  )
}

function written(value: number): string {
  if (!Number.isFinite(value)) return String(value)
  return Number.isInteger(value) ? integer(value) : significant(value)
}
