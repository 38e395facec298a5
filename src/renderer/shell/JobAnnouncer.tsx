/** Tells a screen reader when the job changes its state or stage, and shows a note when it ends unfinished. */
import { VisuallyHidden } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useEffect, useRef } from 'react'
import { useJob } from '../bridge/index.ts'
import { isActive } from '../bridge/job-store.ts'
import { announcement } from './job-words.ts'

export function JobAnnouncer() {
  const { job } = useJob()
  const before = useRef(job)
  useEffect(() => {
    const was = before.current
    before.current = job
    if (job === null || was === null || !isActive(was) || was.started_at !== job.started_at || isActive(job)) return
    // What finished stands in the header until it is put away: a note over the results would say it twice.
    if (job.state === 'failed') {
      notifications.show({ color: 'red', title: `${job.title} failed`, message: job.message ?? '', autoClose: false })
    }
    if (job.state === 'interrupted') {
      notifications.show({ title: 'Stopped', message: `${job.title} can be resumed where it stopped.` })
    }
  }, [job])
  return (
    <VisuallyHidden role="status" aria-live="polite" data-testid="job-announcement">
      {announcement(job)}
    </VisuallyHidden>
  )
}
