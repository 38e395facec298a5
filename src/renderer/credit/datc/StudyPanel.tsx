/** Does the gain that weights promise in independent logits reach the shared parameters? The form, and the studies kept. */
import { useCallback } from 'react'
import type { TrajectoryList } from '../../../shared/credit.ts'
import { useAnswer } from '../../bridge/index.ts'
import { EmptyState, Notice } from '../../parts/index.ts'
import { type CreditRoute, replace } from '../../routes/index.ts'
import classes from '../credit.module.css'
import { StudyForm } from './StudyForm.tsx'
import { StudyView } from './StudyView.tsx'

interface Props {
  readonly route: CreditRoute
  /** Of the rollouts in view; null where there are none: a study samples its own. */
  readonly list: TrajectoryList | null
}

export function StudyPanel({ route, list }: Props) {
  const { value: studies = [] } = useAnswer('credit.datc-studies', {})
  const finished = studies.filter(({ status }) => status === 'finished')
  const open = finished.find(({ run_id }) => run_id === route.result) ?? finished[0]
  const show = useCallback((result: string) => replace({ ...route, tab: 'datc', result }), [route])
  return (
    <div className={classes.methods}>
      <StudyForm list={list} onEnded={show} />
      <div className={classes.result}>
        {studies[0]?.status === 'failed' && (
          <Notice tone="bad" title="The newest study failed">
            {studies[0].error ?? ''}
          </Notice>
        )}
        {open === undefined ? (
          <EmptyState title="No study of single steps yet">
            DATC predicts a gain as if every token had logits of its own; a policy’s tokens share their parameters. Over
            many batches from one policy, a study sets that prediction beside what one step really adds, to first order.
          </EmptyState>
        ) : (
          <StudyView studies={finished} open={open} onOpen={show} />
        )}
      </div>
    </div>
  )
}
