/** Search and choices above a list; `/` goes to the search. Kept while the window is open. */
import { NativeSelect, TextInput } from '@mantine/core'
import { useHotkeys, useSessionStorage } from '@mantine/hooks'
import { type ReactNode, useRef } from 'react'
import { Icon } from '../parts/index.ts'
import { count } from '../words/index.ts'
import { type Filter, noFilter } from './filter-rows.ts'
import classes from './lists.module.css'

export const useFilter = (list: string) =>
  useSessionStorage<Filter>({
    key: `recompense.filter.${list}`,
    defaultValue: noFilter,
    getInitialValueInEffect: false,
  })

interface Props {
  readonly filter: Filter
  readonly onChange: (filter: Filter) => void
  readonly choices: readonly { readonly field: string; readonly label: string; readonly values: readonly string[] }[]
  readonly shown: number
  readonly all: number
  /** What can be done with the list that is shown. */
  readonly menu?: ReactNode
}

export function Filters({ filter, onChange, choices, shown, all, menu }: Props) {
  const search = useRef<HTMLInputElement>(null)
  useHotkeys([['/', () => search.current?.focus()]])
  return (
    <search className={classes.filters}>
      <TextInput
        ref={search}
        className={classes.search ?? ''}
        label="Search"
        placeholder="Name, seed, id…"
        leftSection={<Icon name="search" size={14} />}
        value={filter.text}
        onChange={(event) => onChange({ ...filter, text: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur()
        }}
      />
      {choices.map(({ field, label, values }) => (
        <NativeSelect
          key={field}
          label={label}
          disabled={values.length < 2 && !filter.chosen[field]}
          value={filter.chosen[field] ?? ''}
          data={[{ value: '', label: 'any' }, ...values]}
          onChange={(event) =>
            onChange({ ...filter, chosen: { ...filter.chosen, [field]: event.currentTarget.value } })
          }
        />
      ))}
      <span className={classes.tally} role="status">
        {shown === all ? count(all) : `${count(shown)} of ${count(all)}`}
      </span>
      {menu}
    </search>
  )
}
