/** The health checks in a row: a word, a mark and a figure each; how it is judged is one hover or focus away. */
import { Tooltip } from '@mantine/core'
import { useMemo } from 'react'
import type { RunView } from '../../shared/ipc.ts'
import { type HealthState, healthOf } from './health.ts'
import classes from './run.module.css'

const words: Readonly<Record<HealthState, string>> = {
  good: '✓ good',
  watch: '! watch',
  bad: '✕ bad',
  waiting: '○ waiting',
  none: '– none',
}

export function HealthStrip({ view }: { readonly view: RunView }) {
  const checks = useMemo(() => healthOf(view), [view])
  return (
    <ul className={classes.strip} aria-label="Health of the run">
      {checks.map((check) => (
        <li key={check.name}>
          <Tooltip label={check.detail} events={{ hover: true, focus: true, touch: true }}>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the focus shows how the figure is judged */}
            <div className={classes.check} data-state={check.state} tabIndex={0} aria-description={check.detail}>
              <div className={classes.checkName}>
                <span>{check.name}</span>
                <span className={classes.checkWord}>{words[check.state]}</span>
              </div>
              <div className={classes.checkFigure}>{check.figure}</div>
            </div>
          </Tooltip>
        </li>
      ))}
    </ul>
  )
}
