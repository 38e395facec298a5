/** What was chosen for a study's report: `report-choice.json` in the study's folder. The command line can follow it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Answers, type ReportChoice, reportChoiceSchema } from '../../shared/ipc.ts'
import { captionedIn, type Presentation } from '../report/presentation.ts'
import type { Section } from '../report/section.ts'
import { writeWhole } from './files-on-disk.ts'
import { keepAside } from './kept-aside.ts'
import { studyDir } from './places.ts'
import { requireStudy, type Workbench } from './workbench.ts'

export const reportChoiceFile = 'report-choice.json'

const everything: ReportChoice = { left_out: [], figure_width: null, captions: {} }

/** A damaged file is kept aside, and everything is in the report. Throws `BadInput` for an unknown study. */
export function readReportChoice(bench: Workbench, id: string): Answers['report.choice'] {
  const file = fileOf(bench, id)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return { choice: everything, warning: null }
    return { choice: everything, warning: `${file} cannot be read (${code}); everything is in the report` }
  }
  const choice = parsed(text)
  return choice === null ? { choice: everything, warning: keepAside(file) } : { choice, warning: null }
}

export function writeReportChoice(bench: Workbench, id: string, choice: ReportChoice): Answers['report.choose'] {
  // A damaged file that nobody has read yet must not be lost to this write.
  const { warning } = readReportChoice(bench, id)
  writeWhole(fileOf(bench, id), `${JSON.stringify(choice, null, 2)}\n`)
  return { choice, warning }
}

/**
 * A choice as the report takes it. Sections and captions that this version's report no longer has say nothing.
 * @param sections the whole report
 */
export function chosenReport(
  choice: ReportChoice,
  sections: readonly Section[],
): { readonly sections: string[]; readonly presentation: Presentation } {
  const known = new Set(captionedIn(sections).map(({ id }) => id))
  return {
    sections: sections.map(({ id }) => id).filter((id) => !choice.left_out.includes(id)),
    presentation: {
      captions: Object.fromEntries(
        Object.entries(choice.captions).filter(([id, text]) => known.has(id) && text.trim() !== ''),
      ),
      ...(choice.figure_width === null ? {} : { figureWidth: choice.figure_width }),
    },
  }
}

const fileOf = (bench: Workbench, id: string): string =>
  join(studyDir(bench.home, requireStudy(bench, id).studyId), reportChoiceFile)

function parsed(text: string): ReportChoice | null {
  try {
    const result = reportChoiceSchema.safeParse(JSON.parse(text))
    return result.success ? result.data : null
  } catch {
    return null
  }
}
