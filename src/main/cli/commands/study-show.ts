/** `recompense study show`: everything recorded of one study. */
import { Argument } from 'commander'
import { define } from '../command.ts'
import { withWorkbench } from '../study-session.ts'
import { studyText } from '../study-text.ts'

export const studyShow = define<Record<string, never>>({
  name: 'show',
  summary: 'show everything recorded of one study',
  arguments: [new Argument('<id>', 'the study, as study list names it')],
  options: [],
  details: 'Result: the study document: settings, stages, runs, curves, results, hashes, provenance, limits.',
  example: 'study show "$(npm run --silent recompense -- study list --json | jq -r .studies[0].study_id)"',
  run: (context, _options, [id = '']) =>
    withWorkbench(context, async (bench) => {
      const { showStudy } = await import('../../workbench/show-study.ts')
      const study = showStudy(bench, id)
      return { json: study, text: () => studyText(context.style, study) }
    }),
})
