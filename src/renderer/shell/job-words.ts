/** What the window says of the job: names, figures and time left, each only where it is known. */
import type { JobView } from '../../shared/ipc.ts'
import type { StudyProgress } from '../../shared/study-progress.ts'
import { count, duration } from '../words/index.ts'

export const stageWords: Readonly<Record<StudyProgress['stage'], string>> = {
  corpus: 'Data',
  sft: 'SFT',
  reward: 'Reward model',
  ppo: 'PPO',
  evaluation: 'Evaluation',
  probes: 'Probes',
  report: 'Report',
  train: 'Training',
  credit: 'Credit',
}

export interface JobWords {
  /** `PPO`, or the job's own title before its first progress. */
  readonly what: string
  /** `62 / 100`; null where there is nothing to count. */
  readonly figure: string | null
  /** `1 m 10 s left`; null rather than a guess. */
  readonly left: string | null
  /** 0..1 of the stage; null before the first progress. */
  readonly value: number | null
  readonly state: JobView['state']
  /** Why it failed, when a stop takes effect, or how long the machine slept. */
  readonly note: string | null
}

export function jobWords(job: JobView): JobWords {
  const { progress, state } = job
  const running = state === 'running' && progress !== null
  const what = progress === null || state === 'finished' ? job.title : stageWords[progress.stage]
  const counts = progress !== null && progress.total > 0 && state !== 'finished'
  const slept = running && progress.suspended_seconds > 0 ? `slept ${duration(progress.suspended_seconds)}` : null
  return {
    what,
    figure: counts ? `${count(progress.done)} / ${count(progress.total)}` : null,
    left: running && progress.seconds_left !== null ? `${duration(Math.max(1, progress.seconds_left))} left` : null,
    value: progress === null ? null : progress.value,
    state,
    note: job.message ?? (job.other_process === undefined ? slept : 'in another program'),
  }
}

/** What a screen reader is told: the state and the stage, not every update. */
export function announcement(job: JobView | null): string {
  if (job === null) return ''
  const { progress, state, title, message } = job
  switch (state) {
    case 'waiting':
      return `${title}: starting`
    case 'running':
      return progress === null ? `${title}: running` : `${title}: ${stageWords[progress.stage]}, ${progress.phase}`
    case 'stopping':
      return `${title}: stopping${message === null ? '' : `, ${message}`}`
    case 'failed':
      return `${title}: failed${message === null ? '' : `, ${message}`}`
    default:
      return `${title}: ${state}`
  }
}
