/**
 * Rows for another engine: the study's own, in order, with the token ids that the study learned from beside the texts.
 * Ids are made as training makes them, so that no other tokenization can slip in.
 */
import type { Encoder } from '../rows/encode.ts'
import { encodeDemonstrations, encodePairs, encodePrompts } from '../rows/encode.ts'
import { type PlacedRow, readRows } from '../rows/read-rows.ts'
import { demonstrationSchema, type PromptRow, pairSchema, promptRowSchema } from '../rows/row-schemas.ts'
import type { RowKind } from './training-plan.ts'

/** A row as it stands, with `prompt_ids` and the ids of its responses. */
export type PlannedRow = Readonly<Record<string, unknown>>

/** Throws `BadInput` for a row that training would refuse too. */
export async function plannedRows(kind: RowKind, encoder: Encoder): Promise<PlannedRow[]> {
  const { file } = encoder
  if (kind === 'prompt') {
    const rows = await readRows(file, promptRowSchema)
    return encodePrompts(encoder, rows).map(({ promptIds }, k) => ({ ...asked(rows[k]!), prompt_ids: promptIds }))
  }
  if (kind === 'demonstration') {
    const rows = await readRows(file, demonstrationSchema)
    return encodeDemonstrations(encoder, rows).map(({ promptIds, completionIds }, k) => ({
      ...asked(rows[k]!),
      prompt_ids: promptIds,
      completion_ids: completionIds,
    }))
  }
  const rows = await readRows(file, pairSchema)
  return encodePairs(encoder, rows).map(({ chosen, rejected }, k) => ({
    ...asked(rows[k]!),
    prompt_ids: chosen.promptIds,
    chosen_ids: chosen.completionIds,
    rejected_ids: rejected.completionIds,
  }))
}

/** A text prompt is one user message, as the chat template takes it; a raw one stays text. */
function asked({ row }: PlacedRow<PromptRow>): PlannedRow {
  const { prompt, raw } = row
  if (prompt === undefined || raw === true || typeof prompt !== 'string') return row
  return { ...row, prompt: [{ role: 'user', content: prompt }] }
}
