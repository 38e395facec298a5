/** `recompense report`: the audit report of a study in the formats asked for. */
import { Argument, Option } from 'commander'
import { define } from '../command.ts'
import { withWorkbench } from '../study-session.ts'
import { requireCreatable } from '../user-path.ts'

interface Options {
  readonly format: string
  readonly out: string
  readonly sections?: string
}

export const report = define<Options>({
  name: 'report',
  summary: 'write the audit report of a study',
  arguments: [new Argument('<id>', 'the study, as study list names it')],
  options: [
    new Option('--format <names>', 'comma-separated: html, json, pdf, latex, csv, svg').default('html,json'),
    new Option('--out <dir>', 'folder to write to').makeOptionMandatory(),
    new Option('--sections <ids>', 'comma-separated, such as headline,ppo; provenance and limits are always written'),
  ],
  details: `A study that is not finished gets a report that says what is missing. The HTML file needs no network.
latex writes report-latex.tex with its figures' PDFs in figures/, csv every table in tables/, svg every figure in figures/
(SVG, PDF for one and two columns, data); each folder has an index.csv.
Result: files[].`,
  example:
    'report "$(npm run --silent recompense -- study list --json | jq -r .studies[0].study_id)" --out /tmp/report',
  run: (context, { format, out, sections }, [id = '']) =>
    withWorkbench(context, async (bench) => {
      const [{ chosenFormats }, { showStudy }] = await Promise.all([
        import('../../report/write-report.ts'),
        import('../../workbench/show-study.ts'),
      ])
      const formats = chosenFormats(format.split(',').map((name) => name.trim()))
      const document = showStudy(bench, id)
      requireCreatable(out)
      const chosen = sections === undefined ? {} : { sections: sections.split(',').map((name) => name.trim()) }
      const { files } = await bench.writeReport(document, { formats, out, ...chosen })
      return { json: { files }, text: () => files.join('\n') }
    }),
})
