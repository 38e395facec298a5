/** What was learned from and what was held out, with the hash of every file. */
import type { StudyDocument } from '../../../shared/study-document.ts'
import { type Cell, code, counted, type Section } from '../section.ts'
import { pending } from './pending.ts'

export function dataSection(document: StudyDocument): Section {
  const title = 'Data'
  const question = 'What was learned from, what was held out, and are they apart?'
  const { corpus } = document
  if (corpus === null) return pending('data', title, question, 'the corpus')
  const files = Object.entries(corpus.files).sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    id: 'data',
    title,
    question,
    blocks: [
      {
        kind: 'table',
        table: {
          id: 'table-corpus-audit',
          caption: 'Audit of the corpus',
          columns: [{ label: 'Audited' }, { label: 'Value', numeric: true }],
          rows: flatten(corpus.audit).map(([name, value]) => ({ cells: [name, cell(value)] })),
        },
      },
      {
        kind: 'table',
        table: {
          id: 'table-corpus-files',
          caption: 'Files of the corpus by SHA-256',
          columns: [{ label: 'File' }, { label: 'SHA-256' }],
          rows: [
            ...files.map(([path, sha]) => ({ cells: [path, code(sha)] })),
            { marked: true, cells: ['manifest', code(corpus.manifest_sha256)] },
          ],
        },
      },
    ],
    data: corpus,
  }
}

/** Nested counts become one line each: "pairs by split: train". */
function flatten(record: Readonly<Record<string, unknown>>, prefix = ''): [string, unknown][] {
  return Object.entries(record).flatMap(([key, value]): [string, unknown][] => {
    const name = `${prefix}${key.replaceAll('_', ' ')}`
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? flatten(value as Readonly<Record<string, unknown>>, `${name}: `)
      : [[name, value]]
  })
}

function cell(value: unknown): Cell {
  if (typeof value === 'number') return counted(value)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
