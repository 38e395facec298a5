/** How a run of a study is printed, and which exit status it deserves. */
import type { StudyOutcome } from '../workbench/study-run.ts'
import type { CommandContext } from './context.ts'
import type { Outcome } from './outcome.ts'
import { studyText } from './study-text.ts'

export function studyOutcome(context: CommandContext, study: StudyOutcome): Outcome {
  const interrupted = study.status === 'interrupted'
  if (interrupted)
    context.note(
      `interrupted; the same command continues it, or: npm run --silent recompense -- study resume ${study.study_id}`,
    )
  return { json: study, text: () => studyText(context.style, study), exitCode: interrupted ? 130 : 0 }
}
