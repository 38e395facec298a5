/** The configuration as a file: editable, checked by the workbench as it is typed, and to be taken away. */
import { Textarea } from '@mantine/core'
import { useEffect, useRef } from 'react'
import type { Answers } from '../../shared/ipc.ts'
import { CopyText } from '../parts/index.ts'
import classes from './wizard.module.css'

interface Props {
  readonly yaml: string
  /** Of this very text; undefined while it is being checked. */
  readonly verdict: Answers['settings.check'] | undefined
  readonly command: string
  readonly editing: boolean
  readonly onEdit: (yaml: string) => void
  /** The text reads as these settings. */
  readonly onValues: (values: Readonly<Record<string, unknown>>) => void
  readonly onDone: () => void
}

export function YamlSide({ yaml, verdict, command, editing, onEdit, onValues, onDone }: Props) {
  const tell = useRef(onValues)
  useEffect(() => {
    tell.current = onValues
  })
  const values = verdict?.values ?? null
  useEffect(() => {
    if (editing && values !== null) tell.current(values)
  }, [editing, values])
  const wrong = verdict?.problem ?? null
  return (
    <section className={classes.yaml} aria-labelledby="yaml">
      <div className={classes.yamlHead}>
        <h2 id="yaml">The same as YAML</h2>
        <span>
          <CopyText text={yaml} label="Copy" />
        </span>
      </div>
      <Textarea
        aria-labelledby="yaml"
        aria-describedby="yaml-verdict"
        aria-invalid={wrong !== null}
        autosize
        minRows={10}
        maxRows={32}
        spellCheck={false}
        value={yaml}
        onChange={(event) => onEdit(event.currentTarget.value)}
        onBlur={() => {
          if (values !== null) onDone()
        }}
      />
      <div id="yaml-verdict" className={classes.verdict} data-wrong={wrong !== null} role="status">
        {verdict === undefined
          ? 'Checking…'
          : wrong === null
            ? '✓ The workbench accepts these settings.'
            : `✕ ${verdict.line === null ? '' : `Line ${verdict.line}: `}${wrong}`}
      </div>
      <span>
        <CopyText text={command} label="Copy as command" />
      </span>
    </section>
  )
}
