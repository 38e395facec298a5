/** `recompense corpus audit`: re-hashes and re-checks a corpus folder. */
import { Argument } from 'commander'
import { define } from '../command.ts'
import { auditText } from '../corpus-text.ts'

export const corpusAudit = define<Record<string, never>>({
  name: 'audit',
  summary: 're-hash and re-check a corpus folder against its manifest',
  arguments: [new Argument('<dir>', 'folder that corpus generate wrote')],
  options: [],
  details: `Fails where a file is missing, added or changed, where a population breaks a rule of the corpus, or where the
rows are not those that the seed gives. Result: dataset, seed, audit, files{path: sha256}.`,
  example: 'corpus audit /tmp/office-help --json',
  run: async ({ style }, _options, [dir = '']) => {
    const { readCorpusDir } = await import('../../engine/study/corpus-files.ts')
    const { manifest, audit } = readCorpusDir(dir)
    const { dataset, seed, files } = manifest
    return {
      json: { dataset, seed, audit, files },
      text: () => `${auditText(style, audit)}\n${style.good('✓')} ${Object.keys(files).length} files unchanged`,
    }
  },
})
