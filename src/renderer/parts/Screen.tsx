/** The frame of every screen: its name, the question it answers, and what can be done here. */
import { Title } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import classes from './parts.module.css'

interface Props {
  readonly title: string
  readonly question?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export function Screen({ title, question, actions, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} – Recompense`
  }, [title])
  // A screen reader hears where it is after every move; a field that wants the focus keeps it.
  useEffect(() => {
    const focused = document.activeElement
    if (focused === null || focused === document.body || focused.closest('main') === null) {
      heading.current?.focus({ preventScroll: true })
    }
  }, [])
  return (
    <div className={classes.screen}>
      <header className={classes.head}>
        <div>
          <Title order={1} ref={heading} tabIndex={-1}>
            {title}
          </Title>
          {question !== undefined && <p className={classes.question}>{question}</p>}
        </div>
        {actions !== undefined && <div className={classes.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  )
}
