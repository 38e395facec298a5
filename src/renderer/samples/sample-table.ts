/** The listed responses as they are taken away: every number exact. */
import { change, decimal } from '../../main/report/number-text.ts'
import type { Exportable } from '../charts/index.ts'
import { reportPlaces } from '../reports/report-places.ts'
import { finishWords } from './finish-words.ts'
import { type SampleRow, verdictWords } from './sample-rows.ts'

export function sampleExportable(rows: readonly SampleRow[], study: string): Exportable {
  const caption = `${rows.length} sampled responses`
  return {
    name: 'samples',
    title: 'Sampled responses',
    caption,
    drawing: null,
    report: { study, at: reportPlaces.rollouts },
    records: () => ({
      head: [
        'id',
        'step',
        'prompt',
        'response',
        'finish',
        'tokens',
        'learned reward',
        'rubric',
        'judge',
        'kl',
        'truncation',
      ],
      rows: rows.map((row) => [
        row.id,
        row.step,
        row.prompt,
        row.response,
        row.finish,
        row.tokens,
        row.reward,
        verdictWords(row.rubric),
        row.parts?.judge ?? null,
        row.parts?.kl ?? null,
        row.parts?.truncation ?? null,
      ]),
    }),
    table: () => ({
      caption,
      columns: [
        { label: 'Step', numeric: true },
        { label: 'Prompt' },
        { label: 'Response' },
        { label: 'Finish' },
        { label: 'Tokens', numeric: true },
        { label: 'Learned reward', numeric: true, role: 'reward' },
        { label: 'Rubric', role: 'rubric' },
        { label: 'KL', numeric: true },
      ],
      rows: rows.map((row) => ({
        cells: [
          row.step === null ? '—' : String(row.step),
          row.prompt,
          row.response,
          finishWords[row.finish],
          String(row.tokens),
          decimal(row.reward),
          verdictWords(row.rubric),
          change(row.parts?.kl),
        ],
      })),
    }),
  }
}
