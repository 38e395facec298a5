/** `recompense corpus generate`: writes OfficeHelpPrefs-v1 with its manifest and audit. */
import { Option } from 'commander'
import { define } from '../command.ts'
import { auditText } from '../corpus-text.ts'
import { seedFlag } from '../flags.ts'
import { requireCreatable, writingTo } from '../user-path.ts'

interface Options {
  readonly out: string
  readonly seed: number
}

export const corpusGenerate = define<Options>({
  name: 'generate',
  summary: 'write OfficeHelpPrefs-v1 with its manifest and audit',
  options: [
    new Option('--out <dir>', 'new or empty folder to write to').makeOptionMandatory(),
    seedFlag(49, 'the split of the families; 49 is the reference corpus'),
  ],
  details: `Writes the populations of the reference study and beside them JSONL rows that train, score, reward and generate
take as they stand. manifest.json holds the SHA-256 of every other file. Same seed, same bytes.
Result: dataset, seed, out, audit, files{path: sha256}.`,
  example: 'corpus generate --out /tmp/office-help --json',
  run: async ({ style }, { out, seed }) => {
    const { writeCorpusDir } = await import('../../engine/study/corpus-files.ts')
    requireCreatable(out)
    const { dataset, audit, files } = await writingTo(out, () => writeCorpusDir(out, seed))
    return {
      json: { dataset, seed, out, audit, files },
      text: () => `${auditText(style, audit)}\n${style.quiet(`${Object.keys(files).length} files in ${out}`)}`,
    }
  },
})
