/** `recompense study list`: the studies of the data folder, newest first. */
import { define } from '../command.ts'
import { withWorkbench } from '../study-session.ts'
import { listText } from '../study-text.ts'

export const studyList = define<Record<string, never>>({
  name: 'list',
  summary: 'list the studies of the data folder, newest first',
  options: [],
  details: 'Result: studies[{study_id, name, status, seed, created_at, finished_at, next_stage}].',
  example: 'study list --json',
  run: (context) =>
    withWorkbench(context, async (bench) => {
      const { listStudies } = await import('../../workbench/list-studies.ts')
      const studies = listStudies(bench)
      return { json: { studies }, text: () => listText(context.style, studies) }
    }),
})
