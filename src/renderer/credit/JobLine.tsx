/** The button that computes, what it is doing, and why it cannot. */
import { Button, Progress } from '@mantine/core'
import { Notice } from '../parts/index.ts'
import classes from './credit.module.css'
import type { CreditJobHandle } from './use-credit-job.ts'

interface Props {
  readonly label: string
  readonly job: CreditJobHandle
  readonly disabled?: boolean
  readonly onStart: () => void
}

export function JobLine({ label, job, disabled = false, onStart }: Props) {
  const { running, blocked, problem } = job
  const progress = running?.progress ?? null
  return (
    <>
      <div className={classes.row}>
        <Button disabled={disabled || blocked || running !== null} loading={running !== null} onClick={onStart}>
          {label}
        </Button>
        {running !== null && (
          <span className={classes.figures} role="status">
            {progress === null ? 'starting' : `${progress.phase} ${progress.done} of ${progress.total}`}
          </span>
        )}
        {blocked && <span className={classes.figures}>Another job runs. This can start when it has ended.</span>}
      </div>
      {progress !== null && <Progress value={100 * progress.value} size="xs" mt={6} aria-label="How far it is" />}
      {problem !== null && (
        <Notice tone="bad" title="It was not computed">
          {problem}
        </Notice>
      )}
    </>
  )
}
