/** `recompense study log`: what happened while a study's runs, or one run, ran. */
import { Argument } from 'commander'
import { define } from '../command.ts'
import { plainText } from '../plain-text.ts'
import { withWorkbench } from '../study-session.ts'

export const studyLog = define<Record<string, never>>({
  name: 'log',
  summary: 'show what happened while the runs of a study ran',
  arguments: [new Argument('<id>', 'the study, as study list names it, or one run')],
  options: [],
  details: `Device, phases, commits (at most one a second; the curves hold every update), what was asked of the run, what the
stage process wrote to its standard error, failures and ends, with their times.
Result: runs[{run_id, stage, purpose, status, lines[{at, kind, text}], left_out}].`,
  example: 'study log "$(npm run --silent recompense -- study list --json | jq -r .studies[0].study_id)"',
  run: (context, _options, [id = '']) =>
    withWorkbench(context, async (bench) => {
      const { logsOf } = await import('../../workbench/show-run.ts')
      const runs = logsOf(bench, id)
      return {
        json: { runs },
        text: () =>
          runs
            .map(({ run_id, status, lines }) =>
              [
                `${context.style.strong(run_id)}  ${status}`,
                ...lines.map(
                  ({ at, kind, text }) => `${at.slice(0, 19).replace('T', ' ')}  ${kind.padEnd(7)}  ${plainText(text)}`,
                ),
              ].join('\n'),
            )
            .join('\n\n'),
      }
    }),
})
