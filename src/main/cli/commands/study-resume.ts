/** `recompense study resume`: continues an interrupted or failed study from its last committed update. */
import { Argument, Option } from 'commander'
import { define } from '../command.ts'
import { studyOutcome } from '../study-outcome.ts'
import { followed, withWorkbench } from '../study-session.ts'
import { requireCreatable } from '../user-path.ts'

interface Options {
  readonly model?: string
  readonly out?: string
}

export const studyResume = define<Options>({
  name: 'resume',
  summary: 'continue a study from its last committed update',
  arguments: [new Argument('<id>', 'the study, as study list names it')],
  options: [
    new Option('--model <dir>', 'where the base checkpoint lies now (default: where it lay)'),
    new Option('--out <dir>', "also write the report there, besides the study's own folder"),
  ],
  details: `The result equals that of a run without interruption. A changed checkpoint or data file is refused.
Result: as study run.`,
  example: 'study resume "$(npm run --silent recompense -- study list --json | jq -r .studies[0].study_id)"',
  run: (context, { model, out }, [id = '']) => {
    if (out !== undefined) requireCreatable(out)
    return withWorkbench(context, async (bench) => {
      const { resumeStudy } = await import('../../workbench/study-run.ts')
      const request = { ...(model === undefined ? {} : { model }), ...(out === undefined ? {} : { out }) }
      return studyOutcome(context, await followed(context, (study) => resumeStudy(bench, id, request, study)))
    })
  },
})
