/** A table that may be wider than the window: it scrolls inside its own box, by keyboard too, so that the window need not. */
import type { ReactNode } from 'react'
import classes from './parts.module.css'

export function Wide({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className={classes.wide} aria-label={name} tabIndex={0}>
      {children}
    </section>
  )
}
