/** The six cards of a study. */
import { Button } from '@mantine/core'
import type { StudyDocument } from '../../shared/study-document.ts'
import { useJob } from '../bridge/index.ts'
import { Status } from '../parts/index.ts'
import { Link } from '../routes/index.ts'
import { count } from '../words/index.ts'
import { type Card, pipelineOf } from './pipeline.ts'
import classes from './study.module.css'

interface Props {
  readonly study: StudyDocument
  readonly onResume: (() => void) | null
}

export function Pipeline({ study, onResume }: Props) {
  const { job } = useJob()
  return (
    <ol className={classes.pipeline} aria-label="Stages">
      {pipelineOf(study, job).map((card) => (
        <PipelineCard key={card.name} card={card} onResume={onResume} />
      ))}
    </ol>
  )
}

function PipelineCard({ card, onResume }: { readonly card: Card; readonly onResume: Props['onResume'] }) {
  const { title, state, figure, progress, open, due } = card
  return (
    <li className={classes.card} data-state={state} data-stage={card.name}>
      <div className={classes.cardHead}>
        <h2>{title}</h2>
        <Status status={state} />
      </div>
      {figure !== null ? (
        <>
          <div className={classes.figure}>{figure.value}</div>
          <div className={classes.of}>{figure.of}</div>
        </>
      ) : (
        <div className={classes.of}>{progress === null ? 'not yet' : ''}</div>
      )}
      {progress !== null && (
        <div className={classes.progress}>
          <div className={classes.track} aria-hidden="true">
            <div style={{ width: `${Math.min(100, 100 * progress.share)}%` }} />
          </div>
          {count(progress.done)} of {count(progress.total)}
        </div>
      )}
      <div className={classes.cardFoot}>
        {due && onResume !== null ? (
          <Button size="compact-xs" onClick={onResume}>
            Resume here
          </Button>
        ) : (
          open !== null && (
            <Link to={open.to} size="xs">
              {open.label}
            </Link>
          )
        )}
      </div>
    </li>
  )
}
