/** One thing that must be seen where it matters: what is wrong, in the workbench's words, and what to do about it. */
import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './parts.module.css'

interface Props {
  readonly tone: 'bad' | 'warn' | 'good' | 'plain'
  readonly title?: string
  readonly children?: ReactNode
  readonly action?: ReactNode
}

export function Notice({ tone, title, children, action }: Props) {
  return (
    <div className={classes.notice} data-tone={tone} role={tone === 'bad' ? 'alert' : undefined}>
      <div>
        {title !== undefined && <strong>{title}</strong>}
        {children !== undefined && <p>{children}</p>}
      </div>
      {action}
    </div>
  )
}

export function Failure({ message, retry, title }: { message: string; retry?: () => void; title?: string }) {
  return (
    <Notice
      tone="bad"
      title={title ?? 'This could not be read'}
      {...(retry === undefined
        ? {}
        : {
            action: (
              <Button variant="default" onClick={retry}>
                Try again
              </Button>
            ),
          })}
    >
      {message}
    </Notice>
  )
}
