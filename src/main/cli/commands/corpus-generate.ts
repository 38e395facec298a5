/** `recompense corpus generate`: writes OfficeHelpPrefs-v1 with its manifest and audit. */
import { Option } from 'commander'
import { define } from '../command.ts'
import { seedFlag } from '../flags.ts'

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
  example: 'corpus generate --out /tmp/office-help --json',
  run: async () => {
    throw new Error('not wired')
  },
})
