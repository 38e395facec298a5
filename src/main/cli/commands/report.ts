/** `recompense report`: the audit report of a study in the formats asked for. */
import { Argument, Option } from 'commander'
import { define } from '../command.ts'
import { withWorkbench } from '../study-session.ts'
import { requireCreatable } from '../user-path.ts'

interface Options {
  readonly format: string
  readonly out: string
}

export const report = define<Options>({
  name: 'report',
  summary: 'write the audit report of a study',
  arguments: [new Argument('<id>', 'the study, as study list names it')],
  options: [
    new Option('--format <names>', 'comma-separated: html, json').default('html,json'),
    new Option('--out <dir>', 'folder to write to').makeOptionMandatory(),
  ],
  details: `A study that is not finished gets a report that says what is missing. The HTML file needs no network.
Result: files[].`,
  example:
    'report "$(npm run --silent recompense -- study list --json | jq -r .studies[0].study_id)" --out /tmp/report',
  run: (context, { format, out }, [id = '']) =>
    withWorkbench(context, async (bench) => {
      const [{ chosenFormats }, { showStudy }] = await Promise.all([
        import('../../report/write-report.ts'),
        import('../../workbench/show-study.ts'),
      ])
      const formats = chosenFormats(format.split(',').map((name) => name.trim()))
      const document = showStudy(bench, id)
      requireCreatable(out)
      const { files } = await bench.writeReport(document, { formats, out })
      return { json: { files }, text: () => files.join('\n') }
    }),
})
