/** Opens the workbench for one command, and lets Ctrl-C stop what it does at the next update. */
import type { StudyProgress } from '../../shared/study-progress.ts'
import { codeVersion } from '../code-version.ts'
import type { StudyOptions } from '../workbench/study-run.ts'
import type { Workbench } from '../workbench/workbench.ts'
import type { CommandContext } from './context.ts'
import { Interrupted } from './failure.ts'
import { requireCreatable } from './user-path.ts'

export async function withWorkbench<T>(
  context: CommandContext,
  work: (bench: Workbench) => T | Promise<T>,
): Promise<T> {
  requireCreatable(context.home)
  const [{ openWorkbench }, { writeReport }] = await Promise.all([
    import('../workbench/workbench.ts'),
    import('../report/write-report.ts'),
  ])
  const bench = openWorkbench({ home: context.home, writeReport, codeVersion })
  try {
    return await work(bench)
  } finally {
    bench.close()
  }
}

/** Runs a job with its progress on stderr; the first Ctrl-C asks it to stop and lets it end by itself. */
export async function followed<T>(context: CommandContext, job: (options: StudyOptions) => Promise<T>): Promise<T> {
  const { JobControl } = await import('../workbench/job-control.ts')
  const control = new JobControl()
  const options: StudyOptions = {
    control,
    onNote: (line) => context.note(line),
    onProgress: (progress) => showProgress(context, progress),
  }
  try {
    return await context.interrupts.during(
      () => control.stop(),
      () => job(options),
    )
  } catch (error) {
    const { StageInterrupted } = await import('../workbench/stage-ends.ts')
    throw error instanceof StageInterrupted ? new Interrupted(`${error.message}; the same command continues it`) : error
  }
}

function showProgress({ progress: sink, note }: CommandContext, progress: StudyProgress): void {
  if (progress.suspended_seconds > 0) {
    note(`the machine slept for ${Math.round(progress.suspended_seconds)} s; that time is not counted`)
  }
  sink.report({
    phase: progress.stage,
    detail: progress.state === 'running' ? progress.phase : progress.state,
    done: progress.done,
    total: progress.total,
    rate: progress.rate,
    secondsLeft: progress.seconds_left,
  })
}
