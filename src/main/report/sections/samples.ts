/** Some prompts with all three policies' responses: taken at even distances, so that nobody chose them. */
import type { StudyDocument } from '../../../shared/study-document.ts'
import { branchNames, type EvaluationRow } from '../../../shared/study-results.ts'
import type { Exchange, Section } from '../section.ts'
import { branchTitle } from './branch-title.ts'
import { judged } from './exchange.ts'
import { pending } from './pending.ts'

const fromTest = 6
const fromProbes = 2

export function samplesSection(document: StudyDocument): Section {
  const title = 'Samples'
  const question = 'What do the policies actually say?'
  const { results } = document
  if (results === null) return pending('samples', title, question, 'the held-out evaluation')
  const rows = results.actor.ppo.rows
  const probes = [...new Map(rows.filter((row) => row.split === 'probe').map((row) => [row.prompt, row])).values()]
  const chosen = [
    ...spread(
      rows.filter((row) => row.split === 'test'),
      fromTest,
    ),
    ...spread(probes, fromProbes),
  ]
  const exchanges = chosen.map(
    (row): Exchange => ({
      heading: `${row.document_id} · ${row.split === 'test' ? 'test prompt' : 'probe context'}`,
      prompt: row.prompt,
      responses: branchNames.flatMap((branch) => {
        const found = results.actor[branch].rows.find((candidate) => candidate.document_id === row.document_id)
        return found === undefined ? [] : [judged(branchTitle[branch], found)]
      }),
    }),
  )
  return {
    id: 'samples',
    title,
    question,
    blocks: [
      {
        kind: 'text',
        tone: 'note',
        text: `${chosen.length} of ${rows.length} rows, at even distances through the evaluation order and not by their content. Responses are greedy. All texts are in report.json under held-out.`,
      },
      { kind: 'exchanges', id: 'texts-samples', exchanges },
    ],
    data: { document_ids: chosen.map((row) => row.document_id) },
  }
}

function spread(rows: readonly EvaluationRow[], count: number): EvaluationRow[] {
  const taken = Math.min(count, rows.length)
  return Array.from({ length: taken }, (_, index) => rows[Math.floor(((index + 0.5) * rows.length) / taken)]!)
}
