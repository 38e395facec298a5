/** Rows of text a page at a time, each with its id and its named parts. */
import { Pagination, TextInput } from '@mantine/core'
import { useMemo, useState } from 'react'
import { Icon } from '../parts/index.ts'
import { counted } from '../words/index.ts'
import classes from './data.module.css'

export interface TextRow {
  readonly id: string
  readonly parts: readonly { readonly name: string; readonly text: string }[]
}

const perPage = 8

export function RowList({ name, rows }: { readonly name: string; readonly rows: readonly TextRow[] }) {
  const [page, setPage] = useState(1)
  const [text, setText] = useState('')
  const shown = useMemo(() => {
    const wanted = text.trim().toLowerCase()
    if (wanted === '') return rows
    return rows.filter(
      (row) =>
        row.id.toLowerCase().includes(wanted) || row.parts.some((part) => part.text.toLowerCase().includes(wanted)),
    )
  }, [rows, text])
  const pages = Math.max(1, Math.ceil(shown.length / perPage))
  const at = Math.min(page, pages)
  return (
    <div>
      <div className={classes.bar}>
        <TextInput
          aria-label={`Search ${name}`}
          placeholder="Search id or text"
          leftSection={<Icon name="search" size={14} />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <span role="status">{counted(shown.length, 'row')}</span>
        <Pagination
          size="xs"
          total={pages}
          value={at}
          onChange={setPage}
          getControlProps={(control) => ({ 'aria-label': `${control} page` })}
        />
      </div>
      <ul className={classes.rows} aria-label={name}>
        {shown.slice((at - 1) * perPage, at * perPage).map((row) => (
          <li key={row.id}>
            <code>{row.id}</code>
            <dl>
              {row.parts.map((part) => (
                <div key={part.name}>
                  <dt>{part.name}</dt>
                  <dd>{part.text}</dd>
                </div>
              ))}
            </dl>
          </li>
        ))}
      </ul>
    </div>
  )
}
