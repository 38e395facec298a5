/** `recompense report`: the audit report of a study in the formats asked for. */
import { statSync } from 'node:fs'
import { Argument, Option } from 'commander'
import { BadInput } from '../../../shared/bad-input.ts'
import type { StudyDocument } from '../../../shared/study-document.ts'
import { readTextFile } from '../../engine/checkpoint/input-file.ts'
import type { FigureWidthName, Presentation } from '../../report/presentation.ts'
import type { Section } from '../../report/section.ts'
import type { Workbench } from '../../workbench/workbench.ts'
import { define } from '../command.ts'
import { reportSummary } from '../report-summary.ts'
import { withWorkbench } from '../study-session.ts'
import { requireCreatable, writingTo } from '../user-path.ts'

interface Options {
  readonly format: string
  readonly out: string
  readonly sections?: string
  readonly figureWidth?: FigureWidthName
  readonly captions?: string
  readonly asChosen?: boolean
}

/** Captions are words; a larger file is something else. */
const captionsLimit = 1024 * 1024

export const report = define<Options>({
  name: 'report',
  summary: 'write the audit report of a study',
  arguments: [new Argument('<id>', 'the study, as study list names it')],
  options: [
    new Option('--format <names>', 'comma-separated: html, json, pdf, latex, csv, svg').default('html,json'),
    new Option('--out <dir>', 'folder to write to').makeOptionMandatory(),
    new Option('--sections <ids>', 'comma-separated, such as headline,ppo; provenance and limits are always written'),
    new Option(
      '--figure-width <preset>',
      'one width for every figure: single (one column, 85 mm) or double (175 mm); default: each as it needs',
    ).choices(['single', 'double']),
    new Option('--captions <file>', 'YAML with captions of your own, a line each: figure-ppo-reward: "My caption"'),
    new Option('--as-chosen', 'with the sections, captions and figure width chosen in the workbench’s window'),
  ],
  details: `A study that is not finished gets a report that says what is missing. The HTML file needs no network.
latex writes report-latex.tex with its figures' PDFs in figures/, csv every table in tables/, svg every figure in figures/
(SVG, PDF for one and two columns or the chosen width, data); each folder has an index.csv.
Captions are text: nothing in them is read as HTML, LaTeX or a formula. --sections, --figure-width and --captions override
what --as-chosen says.
Result: files[], items[] (id, kind, title, caption, printed of every figure and table written).`,
  example:
    'report "$(npm run --silent recompense -- study list --json | jq -r .studies[0].study_id)" --out /tmp/report',
  run: (context, options, [id = '']) =>
    withWorkbench(context, async (bench) => {
      const [{ chosenFormats }, { showStudy }, { reportSections }, { captionedIn, presented }, { chosenSections }] =
        await Promise.all([
          import('../../report/write-report.ts'),
          import('../../workbench/show-study.ts'),
          import('../../report/sections/outline.ts'),
          import('../../report/presentation.ts'),
          import('../../report/sections/choose.ts'),
        ])
      const { format, out } = options
      const formats = chosenFormats(format.split(',').map((name) => name.trim()))
      const document = showStudy(bench, id)
      const whole = reportSections(document)
      const shown = await asked(bench, document, whole, options)
      // Refused before anything is written.
      const sections = chosenSections(presented(whole, shown.presentation), shown.sections)
      requireCreatable(out)
      const { files } = await writingTo(out, () => bench.writeReport(document, { formats, out, ...shown }))
      return {
        json: { files, items: captionedIn(sections) },
        text: () =>
          reportSummary(
            out,
            files.map((path) => ({ path, bytes: statSync(path).size })),
          ),
      }
    }),
})

async function asked(
  bench: Workbench,
  document: StudyDocument,
  whole: readonly Section[],
  { sections, figureWidth, captions, asChosen }: Options,
): Promise<{ readonly sections?: readonly string[]; readonly presentation: Presentation }> {
  const { chosenReport, readReportChoice } = await import('../../workbench/report-choice.ts')
  const kept = asChosen === true ? readReportChoice(bench, document.study_id) : null
  if (kept?.warning != null) throw new BadInput('--as-chosen', kept.warning)
  const chosen = kept === null ? undefined : chosenReport(kept.choice, whole)
  const ids = sections === undefined ? chosen?.sections : sections.split(',').map((name) => name.trim())
  return {
    ...(ids === undefined ? {} : { sections: ids }),
    presentation: {
      ...chosen?.presentation,
      ...(figureWidth === undefined ? {} : { figureWidth }),
      ...(captions === undefined
        ? {}
        : { captions: { ...chosen?.presentation.captions, ...(await readCaptions(captions, whole)) } }),
    },
  }
}

async function readCaptions(file: string, whole: readonly Section[]): Promise<Record<string, string>> {
  const [{ captionsInText }, { captionedIn }] = await Promise.all([
    import('../../report/captions-file.ts'),
    import('../../report/presentation.ts'),
  ])
  return captionsInText(readTextFile(file, captionsLimit), file, new Set(captionedIn(whole).map(({ id }) => id)))
}
