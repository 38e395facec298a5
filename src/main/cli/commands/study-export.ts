/** `recompense study export`: one file with everything needed to review a study and continue it elsewhere. */
import { Argument, Option } from 'commander'
import { define } from '../command.ts'
import { bytes, plural } from '../figures.ts'
import { withWorkbench } from '../study-session.ts'
import { requireWritableFile, writingTo } from '../user-path.ts'

interface Options {
  readonly out: string
}

export const studyExport = define<Options>({
  name: 'export',
  summary: 'write a study into one file, to review or continue it elsewhere',
  arguments: [new Argument('<id>', 'the study, as study list names it')],
  options: [new Option('--out <file>', 'zip file to write; must not exist yet').makeOptionMandatory()],
  details: `The base checkpoint is named by its hashes, not included. Equal studies give equal bytes.
Result: study_id, file, bytes, sha256, files.`,
  example:
    'study export "$(npm run --silent recompense -- study list --json | jq -r .studies[0].study_id)" --out /tmp/study.zip',
  run: (context, { out }, [id = '']) => {
    requireWritableFile(out)
    return withWorkbench(context, async (bench) => {
      const { exportStudy } = await import('../../workbench/archive/export-study.ts')
      const written = await writingTo(out, () => exportStudy(bench, id, out))
      return {
        json: written,
        text: () =>
          `${written.file}: ${plural(written.files, 'file')}, ${bytes(written.bytes)}, SHA-256 ${written.sha256}`,
      }
    })
  },
})
