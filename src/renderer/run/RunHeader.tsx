/** State, progress, rate and time left; what is not known is not shown. */
import { Progress } from '@mantine/core'
import type { RunView } from '../../shared/ipc.ts'
import { useJob } from '../bridge/index.ts'
import { Status } from '../parts/index.ts'
import { bytes, count, duration } from '../words/index.ts'
import { phasesOf } from './phases.ts'
import classes from './run.module.css'

export function RunHeader({ view }: { readonly view: RunView }) {
  const { run } = view
  const { job, active } = useJob()
  const live = active && job?.progress?.run_id === run.run_id ? job : null
  const progress = live?.progress ?? null
  const iteration = (view.group?.iterations ?? view.iterations).at(-1)?.iteration
  const done = Math.max(run.updates, view.ppo_updates.at(-1)?.update ?? view.updates.at(-1)?.update ?? 0)
  const worked = phasesOf(run.seconds).total
  const state = live === null || live.state === 'waiting' || live.state === 'finished' ? run.status : live.state
  return (
    <>
      <div className={classes.facts}>
        <Status status={state} />
        {run.total > 0 && (
          <span>
            update{' '}
            <b>
              {count(done)} of {count(run.total)}
            </b>
            {iteration !== undefined && `, iteration ${count(iteration)}`}
          </span>
        )}
        {progress !== null && <span>{progress.phase}</span>}
        {progress?.rate != null && (
          <span>
            <b>{progress.rate < 1 ? `${(1 / progress.rate).toFixed(1)} s` : progress.rate.toFixed(1)}</b>
            {progress.rate < 1 ? ' each' : ' a second'}
          </span>
        )}
        {progress?.seconds_left != null && (
          <span>
            <b>{duration(Math.max(1, progress.seconds_left))}</b> left
          </span>
        )}
        {live?.message != null && <span>{live.message}</span>}
        {progress === null && worked > 0 && (
          <span>
            worked <b>{duration(worked)}</b>
          </span>
        )}
        <span>
          on <b>{run.device}</b>, {run.threads} {run.threads === 1 ? 'thread' : 'threads'}
        </span>
        {run.trainable_parameters !== null && run.trainable_parameters > 0 && (
          <span>
            <b>{count(run.trainable_parameters)}</b> trainable
          </span>
        )}
        {run.peak_rss_bytes !== null && (
          <span>
            peak memory <b>{bytes(run.peak_rss_bytes)}</b>
          </span>
        )}
      </div>
      {progress !== null && (
        <Progress value={100 * progress.value} size="xs" mb="sm" aria-label="How far this stage is" />
      )}
    </>
  )
}
