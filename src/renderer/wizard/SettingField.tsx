/** One setting: name, value with its unit, default and the reference study's value, and what it does. */
import { ActionIcon, TextInput, Tooltip } from '@mantine/core'
import { useState } from 'react'
import { Icon } from '../parts/index.ts'
import { setting } from '../words/index.ts'
import { fieldTexts, type SettingKey } from './fields/field-texts.ts'
import type { SettingValue } from './fields/setting-keys.ts'
import { parseValue, problemOf, textSettings } from './parse-value.ts'
import classes from './wizard.module.css'

interface Props {
  readonly field: SettingKey
  readonly value: SettingValue
  readonly usual: SettingValue
  /** Null where the reference study has no such setting. */
  readonly reference: SettingValue | null
  /** The workbench's own words about this setting. */
  readonly problem: string | null
  readonly onChange: (value: SettingValue) => void
}

export function SettingField({ field, value, usual, reference, problem, onChange }: Props) {
  const text = fieldTexts[field]
  // What is being typed stays as typed (`1e`, `0.0`); the setting is what it reads as.
  const [typed, setTyped] = useState<string | null>(null)
  const changed = value !== usual
  const id = `setting-${field}`
  const wrong = problemOf(field, value) ?? problem
  return (
    <div className={classes.field} data-changed={changed}>
      <div>
        <label htmlFor={id}>{text.name}</label>
        <code>{field}</code>
      </div>
      <div className={classes.input}>
        <TextInput
          id={id}
          data-text={textSettings.has(field)}
          inputMode={textSettings.has(field) ? 'text' : 'decimal'}
          value={typed ?? setting(value)}
          error={wrong !== null}
          aria-describedby={`${id}-explain`}
          onChange={(event) => {
            setTyped(event.currentTarget.value)
            onChange(parseValue(field, event.currentTarget.value))
          }}
          onBlur={() => setTyped(null)}
        />
        <span className={classes.unit}>{text.unit}</span>
        {changed && (
          <Tooltip label={`Back to ${setting(usual)}`}>
            <ActionIcon
              size="sm"
              aria-label={`Reset ${text.name} to ${setting(usual)}`}
              onClick={() => {
                setTyped(null)
                onChange(usual)
              }}
            >
              <Icon name="reset" size={14} />
            </ActionIcon>
          </Tooltip>
        )}
      </div>
      <div className={classes.explain} id={`${id}-explain`}>
        {wrong !== null && <div className={classes.wrong}>✕ {wrong}</div>}
        {text.sentence}
        <div className={classes.values}>
          <span>
            default <b>{setting(usual)}</b>
          </span>
          {reference !== null && (
            <span>
              reference study <b>{setting(reference)}</b>
            </span>
          )}
          {changed && <span className={classes.changed}>changed</span>}
        </div>
      </div>
    </div>
  )
}
