/** Rows of prompts that carry scored examples (JSONL): their shape and limits. How they are rendered stands elsewhere. */
import { z } from 'zod'
import { type PlacedRow, readRows } from './read-rows.ts'
import { filled, rowId } from './row-schemas.ts'

export const mostExamples = 64
/** Scores are written out for the model; larger ones would be written with an exponent. */
export const largestScore = 1e6

const score = z
  .number('must be a number')
  .refine((value) => Math.abs(value) <= largestScore, `lies outside −${largestScore} to ${largestScore}`)

/** Strict: `prompt` may be absent, so a misspelled one would go unnoticed. */
const exampleSchema = z.strictObject({
  /** What the response answers; absent: the row's own prompt. */
  prompt: filled.optional(),
  response: filled,
  score,
})
export type ScoredExample = z.infer<typeof exampleSchema>

export const scoredExamplesSchema = z.looseObject({
  id: rowId,
  examples: z
    .array(exampleSchema, 'must be a list of {prompt?, response, score}')
    .max(mostExamples, `has more than ${mostExamples} examples`),
  prompt: filled,
})
export type ScoredExamplesRow = z.infer<typeof scoredExamplesSchema>

/** Throws BadInput for a file that cannot be read, holds no row, or has a row that does not fit. */
export function readScoredExamples(file: string): Promise<PlacedRow<ScoredExamplesRow>[]> {
  return readRows(file, scoredExamplesSchema)
}
