/** `recompense corpus audit`: re-hashes and re-checks a corpus folder. */
import { Argument } from 'commander'
import { define } from '../command.ts'

export const corpusAudit = define<Record<string, never>>({
  name: 'audit',
  summary: 're-hash and re-check a corpus folder against its manifest',
  arguments: [new Argument('<dir>', 'folder that corpus generate wrote')],
  options: [],
  example: 'corpus audit /tmp/office-help --json',
  run: async () => {
    throw new Error('not wired')
  },
})
