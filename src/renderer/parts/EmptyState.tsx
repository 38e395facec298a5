/** What will be here, and the action that fills it. */
import { Title } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './parts.module.css'

interface Props {
  readonly title: string
  readonly children?: ReactNode
  readonly action?: ReactNode
}

export function EmptyState({ title, children, action }: Props) {
  return (
    <div className={classes.empty}>
      <Title order={2}>{title}</Title>
      {children !== undefined && <p>{children}</p>}
      {action}
    </div>
  )
}
