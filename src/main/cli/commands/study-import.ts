/** `recompense study import`: takes an exported study into the data folder. */
import { Argument } from 'commander'
import { define } from '../command.ts'
import { plural } from '../figures.ts'
import { withWorkbench } from '../study-session.ts'

export const studyImport = define<Record<string, never>>({
  name: 'import',
  summary: 'take an exported study into the data folder',
  arguments: [new Argument('<file>', 'zip file that study export wrote')],
  options: [],
  details: `Every file is checked against its recorded hash before anything is taken in.
Result: study_id, status, files.`,
  example: 'study import /tmp/study.zip --home /tmp/another-home',
  run: (context, _options, [file = '']) =>
    withWorkbench(context, async (bench) => {
      const { importStudy } = await import('../../workbench/archive/import-study.ts')
      const taken = importStudy(bench, file)
      return { json: taken, text: () => `${taken.study_id} (${taken.status}): ${plural(taken.files, 'file')}` }
    }),
})
