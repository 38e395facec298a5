/** A link to a place of the window; opens in a new tab of a browser like any other. */
import { Anchor, type AnchorProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { hashOf, type Route } from './route.ts'

interface Props extends Omit<AnchorProps, 'href'> {
  readonly to: Route
  readonly children: ReactNode
  readonly 'aria-label'?: string
}

export function Link({ to, children, ...rest }: Props) {
  return (
    <Anchor href={hashOf(to)} {...rest}>
      {children}
    </Anchor>
  )
}
