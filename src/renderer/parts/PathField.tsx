/** A path: chosen in the system's dialog where there is one, else typed. */
import { Button, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useRef } from 'react'
import { ask, useAnswer, useWorkbench, wordsOf } from '../bridge/index.ts'
import { Icon } from './Icon.tsx'

interface Props {
  readonly label: string
  readonly description?: string
  readonly what: 'file' | 'folder' | 'new-folder'
  readonly value: string
  readonly onChange: (path: string) => void
  readonly error?: string | undefined
  readonly placeholder?: string
}

export function PathField({ label, description, what, value, onChange, error, placeholder }: Props) {
  const { bridge } = useWorkbench()
  const { value: info } = useAnswer('app.info', {})
  const field = useRef<HTMLInputElement>(null)
  const choose = () => {
    ask(bridge, 'files.pick', { what, title: label }).then(
      (picked) => (picked === null ? field.current?.focus() : onChange(picked.path)),
      (reason: unknown) => notifications.show({ color: 'red', title: label, message: wordsOf(reason) }),
    )
  }
  return (
    <TextInput
      ref={field}
      label={label}
      description={description}
      placeholder={placeholder ?? (what === 'file' ? '/path/to/file.jsonl' : '/path/to/folder')}
      value={value}
      error={error}
      spellCheck={false}
      onChange={(event) => onChange(event.currentTarget.value)}
      {...(info?.host === 'electron'
        ? {
            rightSectionWidth: 92,
            rightSection: (
              <Button
                size="compact-xs"
                variant="default"
                onClick={choose}
                leftSection={<Icon name="folder" size={12} />}
              >
                Choose
              </Button>
            ),
          }
        : {})}
    />
  )
}
