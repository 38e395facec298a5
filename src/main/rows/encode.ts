/**
 * Rows to token ids. A string prompt is one user message through the checkpoint's chat template; the completion is
 * tokenised on its own, so no merge crosses the boundary, and ends with the checkpoint's EOS. Nothing is truncated.
 */
import { BadInput } from '../../shared/bad-input.ts'
import type { ChatMessage, EncodedPair, EncodedRow } from '../../shared/rows.ts'
import { type PlacedRow, rowPlace } from './read-rows.ts'
import type { DemonstrationRow, PairRow, PromptRow } from './row-schemas.ts'

/** What encoding needs of a tokenizer. */
export interface RowTokenizer {
  encode(text: string): readonly number[]
  renderChat(messages: readonly ChatMessage[], options: { readonly addGenerationPrompt: boolean }): string
}

export interface LengthLimits {
  readonly promptTokens: number
  readonly completionTokens: number
  readonly contextTokens: number
}

export const defaultLimits: LengthLimits = { promptTokens: 256, completionTokens: 64, contextTokens: 320 }

export interface Encoder {
  /** Named in messages. */
  readonly file: string
  readonly tokenizer: RowTokenizer
  /** Ends every completion given as text. */
  readonly eosId: number
  /** Rows of the embedding table: ids from here on do not exist. */
  readonly vocabSize: number
  readonly limits: LengthLimits
}

export function encodePrompts(encoder: Encoder, rows: readonly PlacedRow<PromptRow>[]): EncodedRow[] {
  return rows.map((placed) => {
    const promptIds = encodePrompt(encoder, placed)
    return { id: placed.row.id, promptIds, completionIds: [] }
  })
}

export function encodeDemonstrations(encoder: Encoder, rows: readonly PlacedRow<DemonstrationRow>[]): EncodedRow[] {
  return rows.map((placed) => {
    const { row } = placed
    const promptIds = encodePrompt(encoder, placed)
    const completionIds = encodeResponse(encoder, placed, 'completion', row.completion, row.completion_ids)
    checkContext(encoder, placed, promptIds, completionIds)
    return { id: row.id, promptIds, completionIds }
  })
}

export function encodePairs(encoder: Encoder, rows: readonly PlacedRow<PairRow>[]): EncodedPair[] {
  return rows.map((placed) => {
    const { row } = placed
    const promptIds = encodePrompt(encoder, placed)
    const chosenIds = encodeResponse(encoder, placed, 'chosen', row.chosen, row.chosen_ids)
    const rejectedIds = encodeResponse(encoder, placed, 'rejected', row.rejected, row.rejected_ids)
    if (chosenIds.length === rejectedIds.length && chosenIds.every((id, index) => id === rejectedIds[index])) {
      refuse(encoder, placed, 'chosen and rejected are the same tokens')
    }
    checkContext(encoder, placed, promptIds, chosenIds)
    checkContext(encoder, placed, promptIds, rejectedIds)
    return {
      id: row.id,
      chosen: { id: row.id, promptIds, completionIds: chosenIds },
      rejected: { id: row.id, promptIds, completionIds: rejectedIds },
    }
  })
}

/** The prompt as the model reads it; an empty `raw` prompt has no position to predict from and is refused. */
function encodePrompt(encoder: Encoder, placed: PlacedRow<PromptRow>): readonly number[] {
  const { row } = placed
  const ids = row.prompt_ids ?? encoder.tokenizer.encode(promptText(encoder.tokenizer, row))
  checkVocabulary(encoder, placed, 'prompt_ids', ids)
  if (ids.length === 0) refuse(encoder, placed, 'the prompt is empty')
  checkLength(encoder, placed, 'the prompt', ids.length, encoder.limits.promptTokens)
  return ids
}

function promptText(tokenizer: RowTokenizer, row: PromptRow): string {
  const prompt = row.prompt ?? ''
  if (typeof prompt === 'string') {
    if (row.raw === true) return prompt
    return tokenizer.renderChat([{ role: 'user', content: prompt }], { addGenerationPrompt: true })
  }
  return tokenizer.renderChat(prompt, { addGenerationPrompt: true })
}

function encodeResponse(
  encoder: Encoder,
  placed: PlacedRow<PromptRow>,
  field: string,
  text: string | undefined,
  given: readonly number[] | undefined,
): readonly number[] {
  const ids = given ?? withEos(encoder.tokenizer.encode(text ?? ''), encoder.eosId)
  checkVocabulary(encoder, placed, `${field}_ids`, ids)
  checkLength(encoder, placed, field, ids.length, encoder.limits.completionTokens)
  return ids
}

/** Text that already spells the EOS out is complete as it stands. */
function withEos(ids: readonly number[], eosId: number): readonly number[] {
  return ids.at(-1) === eosId ? ids : [...ids, eosId]
}

function checkVocabulary(encoder: Encoder, placed: PlacedRow<PromptRow>, field: string, ids: readonly number[]): void {
  const at = ids.findIndex((id) => id < 0 || id >= encoder.vocabSize)
  if (at !== -1) {
    refuse(encoder, placed, `${field}[${at}]: ${ids[at]} is outside the vocabulary of ${encoder.vocabSize}`)
  }
}

function checkContext(
  encoder: Encoder,
  placed: PlacedRow<PromptRow>,
  promptIds: readonly number[],
  completionIds: readonly number[],
): void {
  const total = promptIds.length + completionIds.length
  checkLength(encoder, placed, 'prompt and completion', total, encoder.limits.contextTokens)
}

function checkLength(
  encoder: Encoder,
  placed: PlacedRow<PromptRow>,
  what: string,
  tokens: number,
  limit: number,
): void {
  if (tokens > limit) refuse(encoder, placed, `${what} has ${tokens} tokens, more than the limit of ${limit}`)
}

function refuse(encoder: Encoder, placed: PlacedRow<PromptRow>, problem: string): never {
  throw new BadInput(encoder.file, problem, rowPlace(placed.row.id, placed.line))
}
