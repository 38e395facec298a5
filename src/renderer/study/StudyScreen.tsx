/** Where is this study, and what did it show? */
import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import type { StudyDocument } from '../../shared/study-document.ts'
import { useAnswer, useJob, wordsOf } from '../bridge/index.ts'
import { Failure, Loading, Notice, Screen, Status } from '../parts/index.ts'
import { go } from '../routes/index.ts'
import { stageWords } from '../shell/job-words.ts'
import { Facts } from './Facts.tsx'
import { Finding } from './Finding.tsx'
import { HeadlinePlot } from './HeadlinePlot.tsx'
import { Pipeline } from './Pipeline.tsx'
import classes from './study.module.css'
import { VerifyButton } from './VerifyButton.tsx'

export default function StudyScreen({ studyId }: { readonly studyId: string }) {
  const { value, error, refresh } = useAnswer('studies.show', { study_id: studyId })
  if (value === undefined) {
    return (
      <Screen title="Study">{error === undefined ? <Loading /> : <Failure message={error} retry={refresh} />}</Screen>
    )
  }
  return <Overview study={value.study} stale={error} refresh={refresh} />
}

interface OverviewProps {
  readonly study: StudyDocument
  readonly stale: string | undefined
  readonly refresh: () => void
}

function Overview({ study, stale, refresh }: OverviewProps) {
  const { job, active, start } = useJob()
  const here = active && job?.study_id === study.study_id
  const unfinished = study.status !== 'finished' && !here
  const resume = () => {
    start({ kind: 'resume', study_id: study.study_id }).catch((reason: unknown) =>
      notifications.show({
        color: 'red',
        title: 'It could not be resumed',
        message: wordsOf(reason),
        autoClose: false,
      }),
    )
  }
  return (
    <Screen
      title={study.name}
      question={
        <>
          <Status status={here && job !== null ? job.state : study.status} /> · {study.preset} · seed {study.seed}
        </>
      }
      actions={
        <>
          {unfinished && (
            <Button onClick={resume} disabled={active}>
              Resume
            </Button>
          )}
          <VerifyButton studyId={study.study_id} />
          <Button
            variant={study.status === 'finished' ? 'filled' : 'default'}
            onClick={() => go({ screen: 'reports', study: study.study_id })}
          >
            Report
          </Button>
        </>
      }
    >
      <div className={classes.stack}>
        {stale !== undefined && <Failure title="This may be out of date" message={stale} retry={refresh} />}
        {!here && <Stopped study={study} busy={active} />}
        <Pipeline study={study} onResume={unfinished && !active ? resume : null} />
      </div>
      <section className={classes.finding} aria-label="What it showed">
        <div>
          <HeadlinePlot study={study} />
        </div>
        <div>
          <h2>What it showed</h2>
          <Finding study={study} />
        </div>
      </section>
      <section className={classes.below}>
        <div>
          <h2>What may not be concluded</h2>
          <ul className={classes.evidence}>
            {study.limits.map((limit) => (
              <li key={limit}>{limit}</li>
            ))}
          </ul>
        </div>
        <div>
          <h2>Made from</h2>
          <Facts study={study} />
        </div>
      </section>
    </Screen>
  )
}

/** Why it stands still, and that nothing is lost by it. */
function Stopped({ study, busy }: { readonly study: StudyDocument; readonly busy: boolean }) {
  const wait = busy ? ' Another job runs now; this can go on when it has ended.' : ''
  if (study.status === 'failed') {
    const where = study.error?.stage
    const title =
      where === null || where === undefined
        ? 'The study failed'
        : `${Object.hasOwn(stageWords, where) ? stageWords[where as keyof typeof stageWords] : where} failed`
    return (
      <Notice tone="bad" title={title}>
        {study.error?.message ?? 'The reason was not recorded.'} What was done before is kept.{wait}
      </Notice>
    )
  }
  if (study.status !== 'interrupted') return null
  return (
    <Notice tone="warn" title="Interrupted">
      Everything up to the last update is kept; resumed, it gives the same numbers as without the interruption.{wait}
    </Notice>
  )
}
