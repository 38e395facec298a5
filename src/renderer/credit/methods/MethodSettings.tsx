/** Settings of the chosen methods, by the names that the command line and every result give them. */
import { NativeSelect, TextInput } from '@mantine/core'
import type { MethodFacts, MethodSetting } from '../../../shared/credit.ts'
import classes from '../credit.module.css'

export type SettingChanges = Readonly<Record<string, string | number>>

interface Props {
  readonly methods: readonly MethodFacts[]
  readonly changes: SettingChanges
  readonly onChange: (changes: SettingChanges) => void
}

export function MethodSettings({ methods, changes, onChange }: Props) {
  const settings = new Map<string, { readonly setting: MethodSetting; readonly of: readonly string[] }>()
  for (const { name, settings: read } of methods) {
    for (const setting of read) {
      const before = settings.get(setting.name)
      settings.set(setting.name, { setting, of: [...(before?.of ?? []), name] })
    }
  }
  if (settings.size === 0) return null
  const set = (name: string, value: string | number | null) => {
    const next = Object.fromEntries(Object.entries(changes).filter(([key]) => key !== name))
    onChange(value === null ? next : { ...next, [name]: value })
  }
  return (
    <details className={classes.settings}>
      <summary>Settings ({Object.keys(changes).filter((name) => settings.has(name)).length} changed)</summary>
      {[...settings.values()].map(({ setting, of }) => (
        <Field key={setting.name} setting={setting} of={of} value={changes[setting.name]} onSet={set} />
      ))}
    </details>
  )
}

interface FieldProps {
  readonly setting: MethodSetting
  readonly of: readonly string[]
  readonly value: string | number | undefined
  readonly onSet: (name: string, value: string | number | null) => void
}

function Field({ setting, of, value, onSet }: FieldProps) {
  const { name, meaning, unit, by_default, choices } = setting
  const description = `${meaning}; ${unit}. Default ${by_default}. Read by ${of.join(', ')}.`
  if (choices !== undefined) {
    return (
      <NativeSelect
        label={name}
        description={description}
        value={String(value ?? '')}
        data={[{ value: '', label: 'default' }, ...choices]}
        onChange={(event) => onSet(name, event.currentTarget.value || null)}
      />
    )
  }
  return (
    <TextInput
      key={String(value ?? '')}
      label={name}
      description={description}
      placeholder={by_default}
      defaultValue={value === undefined ? '' : String(value)}
      inputMode="decimal"
      onBlur={(event) => {
        const text = event.currentTarget.value.trim().replace('−', '-')
        const number = Number(text)
        if (text === '') onSet(name, null)
        // What is no number goes to the workbench as it is: its refusal says what is wrong.
        else onSet(name, Number.isFinite(number) ? number : text)
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur()
      }}
    />
  )
}
