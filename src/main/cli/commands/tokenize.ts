/** `recompense tokenize`: text or conversations to token ids, with a checkpoint's own tokenizer and chat template. */

import { define } from '../command.ts'
import { plural } from '../figures.ts'
import { inputFlag, modelFlag } from '../flags.ts'
import { plainText } from '../plain-text.ts'
import { table } from '../table.ts'

interface Options {
  readonly model: string
  readonly input: string
}

export const tokenize = define<Options>({
  name: 'tokenize',
  summary: "text and conversations to token ids, with a checkpoint's own tokenizer",
  options: [modelFlag(), inputFlag('{text} or {messages, add_generation_prompt?, tools?}')],
  details: `A row with text is tokenised as it stands. A row with messages goes through the checkpoint's chat template
first (add_generation_prompt: true unless the row says otherwise); its text in the result is the rendered template.
Result: rows[{id?, ids, text}] in the order of the input.`,
  example: 'tokenize --model resources/models/embedded --input resources/examples/tokenize.jsonl --json',
  run: async (context, { model, input }) => {
    const { tokenizeRows } = await import('../../rows/tokenize-rows.ts')
    const { openTokenizer } = await import('../../engine/checkpoint/tokenizer.ts')
    const rows = await tokenizeRows(input, openTokenizer(model))
    return {
      json: { rows },
      text: () =>
        `${table(
          [
            { title: 'row', cell: (row) => plainText(row.id ?? String(rows.indexOf(row) + 1)) },
            { title: 'tokens', cell: (row) => String(row.ids.length), align: 'right' },
            { title: 'ids', cell: (row) => excerpt(row.ids.join(' '), 60) },
            { title: 'text', cell: (row) => excerpt(JSON.stringify(row.text), 40) },
          ],
          rows,
        )}\n${context.style.quiet(plural(rows.length, 'row'))}`,
    }
  },
})

function excerpt(text: string, cells: number): string {
  return text.length <= cells ? text : `${text.slice(0, cells - 1)}…`
}
