/** The job on every screen: what runs, how far, how long still, and what can be done about it. */
import { ActionIcon, Button, Tooltip, UnstyledButton } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import type { JobView } from '../../shared/ipc.ts'
import { useConnected, useJob, wordsOf } from '../bridge/index.ts'
import { Icon, Status } from '../parts/index.ts'
import { go, plainCredit, type Route } from '../routes/index.ts'
import { type JobWords, jobWords } from './job-words.ts'
import classes from './shell.module.css'

export function JobPill() {
  const { job, active } = useJob()
  const connected = useConnected()
  const [dismissed, setDismissed] = useState('')
  if (job === null || (!active && dismissed === job.started_at)) return null
  const words = jobWords(job)
  return (
    <section className={classes.pill} aria-label="Job" data-state={job.state} data-lost={!connected}>
      <PillText job={job} words={words} />
      {active && job.other_process === undefined && connected ? (
        <PillControls job={job} />
      ) : active ? null : (
        <EndedControls job={job} onDismiss={() => setDismissed(job.started_at)} />
      )}
      {active && words.value !== null && (
        <div className={classes.bar} aria-hidden="true">
          <div style={{ width: `${Math.min(100, words.value * 100)}%` }} />
        </div>
      )}
    </section>
  )
}

function PillText({ job, words }: { readonly job: JobView; readonly words: JobWords }) {
  const place = placeOf(job)
  const text = (
    <>
      <Status status={words.state} />
      <span className={classes.what}>{words.what}</span>
      {words.figure !== null && <span>{words.figure}</span>}
      {words.left !== null && <span className={classes.left}>{words.left}</span>}
      {words.note !== null && <span className={classes.note}>{words.note}</span>}
    </>
  )
  if (place === null) return <div className={classes.pillText}>{text}</div>
  return (
    <Tooltip label={[job.title, words.note, 'Open'].filter(Boolean).join(' · ')}>
      <UnstyledButton className={classes.pillText} onClick={() => go(place)}>
        {text}
      </UnstyledButton>
    </Tooltip>
  )
}

function placeOf(job: JobView): Route | null {
  if (job.kind === 'credit-audit') return plainCredit
  if (job.kind === 'desk') return { ...plainCredit, tab: 'desk' }
  if (job.kind === 'credit-datc' || job.kind === 'credit-datc-study') return { ...plainCredit, tab: 'datc' }
  if (job.study_id !== null) return { screen: 'study', study: job.study_id }
  return job.run_id === null ? null : { screen: 'run', run: job.run_id }
}

/** What did not finish can go on from here; the rest is only put away. */
function EndedControls({ job, onDismiss }: { readonly job: JobView; readonly onDismiss: () => void }) {
  const { start } = useJob()
  const { study_id: study } = job
  const resume = () => {
    if (study === null) return
    start({ kind: 'resume', study_id: study }).catch((error: unknown) =>
      notifications.show({ color: 'red', title: 'It could not be resumed', message: wordsOf(error) }),
    )
  }
  return (
    <>
      {study !== null && job.state !== 'finished' && (
        <Button size="compact-xs" variant="default" aria-label={`Resume ${job.title}`} onClick={resume}>
          Resume
        </Button>
      )}
      <Tooltip label="Dismiss">
        <ActionIcon size="sm" aria-label="Dismiss" onClick={onDismiss}>
          <Icon name="close" size={12} />
        </ActionIcon>
      </Tooltip>
    </>
  )
}

function PillControls({ job }: { readonly job: JobView }) {
  const { pause, resume, stop } = useJob()
  const act = (action: () => Promise<JobView | null>, done?: string) => () => {
    action().then(
      (now) => {
        const when = now?.message ?? done
        if (when !== undefined && now?.state === 'stopping') notifications.show({ title: 'Stopping', message: when })
      },
      (error: unknown) => notifications.show({ color: 'red', title: 'That did not work', message: wordsOf(error) }),
    )
  }
  const paused = job.state === 'paused'
  return (
    <>
      {job.state !== 'stopping' && (
        <Tooltip label={paused ? 'Go on' : 'Pause after the present update'}>
          <ActionIcon size="sm" aria-label={paused ? 'Go on' : 'Pause'} onClick={act(paused ? resume : pause)}>
            <Icon name={paused ? 'play' : 'pause'} size={14} />
          </ActionIcon>
        </Tooltip>
      )}
      <Tooltip label={job.state === 'stopping' ? 'Stopping' : 'Stop; it can be resumed exactly where it stopped'}>
        <ActionIcon
          size="sm"
          aria-label="Stop"
          disabled={job.state === 'stopping'}
          onClick={act(stop, 'It takes effect after the present update; nothing before it is lost.')}
        >
          <Icon name="stop" size={14} />
        </ActionIcon>
      </Tooltip>
    </>
  )
}
