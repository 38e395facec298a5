/** The shapes of data rows as people write them (JSONL). Unknown fields are kept; what is refused names its row. */
import { z } from 'zod'

/** Text that UTF-8 can hold: JSON escapes can smuggle in half of a surrogate pair, which no tokenizer can encode. */
export const text = z.string().refine((value) => !/\p{Surrogate}/u.test(value), 'holds half of a surrogate pair')
export const filled = text.refine((value) => value.length > 0, 'is empty')
const tokenId = z
  .number()
  .refine((value) => Number.isSafeInteger(value) && value >= 0, 'token ids must be integers from 0 on')
export const tokenIds = z.array(tokenId)
const filledIds = tokenIds.refine((ids) => ids.length > 0, 'is empty')

/** Numbers are common as ids; `1` and `"1"` are the same row. */
export const rowId = z.union([
  z.string().refine((value) => value.length > 0, 'is empty'),
  z.number().refine(Number.isSafeInteger, 'must be a string or an integer').transform(String),
])

export const chatMessageSchema = z.looseObject({ role: filled, content: text })
const prompt = z.union([text, z.array(chatMessageSchema).min(1)], 'must be text or a list of {role, content} messages')

const promptFields = {
  id: rowId,
  prompt: prompt.optional(),
  prompt_ids: filledIds.optional(),
  /** The prompt goes to the tokenizer as it stands, without the chat template. */
  raw: z.boolean().optional(),
}

interface PromptFields {
  readonly prompt?: unknown
  readonly prompt_ids?: unknown
  readonly raw?: boolean | undefined
}

type Refuse = (message: string, field: string) => void

function checkPrompt(row: PromptFields, refuse: Refuse): void {
  if (row.prompt === undefined && row.prompt_ids === undefined) refuse('needs prompt or prompt_ids', 'prompt')
  if (row.prompt !== undefined && row.prompt_ids !== undefined) refuse('has both prompt and prompt_ids', 'prompt_ids')
  if (row.raw === true && Array.isArray(row.prompt)) refuse('raw takes text, not a list of messages', 'raw')
}

/** Exactly one of the text and the ids of a response field. */
function checkResponse(row: Readonly<Record<string, unknown>>, field: string, refuse: Refuse): void {
  const ids = `${field}_ids`
  if (row[field] === undefined && row[ids] === undefined) refuse(`needs ${field} or ${ids}`, field)
  if (row[field] !== undefined && row[ids] !== undefined) refuse(`has both ${field} and ${ids}`, ids)
}

function refuser(context: z.RefinementCtx): Refuse {
  return (message, field) => context.addIssue({ code: 'custom', message, path: [field] })
}

export const promptRowSchema = z
  .looseObject(promptFields)
  .superRefine((row, context) => checkPrompt(row, refuser(context)))
export type PromptRow = z.infer<typeof promptRowSchema>

export const demonstrationSchema = z
  .looseObject({ ...promptFields, completion: filled.optional(), completion_ids: filledIds.optional() })
  .superRefine((row, context) => {
    checkPrompt(row, refuser(context))
    checkResponse(row, 'completion', refuser(context))
  })
export type DemonstrationRow = z.infer<typeof demonstrationSchema>

export const pairSchema = z
  .looseObject({
    ...promptFields,
    chosen: filled.optional(),
    chosen_ids: filledIds.optional(),
    rejected: filled.optional(),
    rejected_ids: filledIds.optional(),
  })
  .superRefine((row, context) => {
    const refuse = refuser(context)
    checkPrompt(row, refuse)
    checkResponse(row, 'chosen', refuse)
    checkResponse(row, 'rejected', refuse)
    if (row.chosen !== undefined && row.chosen === row.rejected) refuse('equals chosen', 'rejected')
  })
export type PairRow = z.infer<typeof pairSchema>

/** Rows of `tokenize`: plain text, or a conversation for the chat template. */
export const tokenizeRowSchema = z
  .looseObject({
    id: rowId.optional(),
    text: text.optional(),
    messages: z
      .array(z.looseObject({ role: filled, content: text.nullish() }))
      .min(1)
      .optional(),
    add_generation_prompt: z.boolean().optional(),
    tools: z.array(z.looseObject({})).optional(),
  })
  .superRefine((row, context) => {
    const refuse = refuser(context)
    if (row.text === undefined && row.messages === undefined) refuse('needs text or messages', 'text')
    if (row.text !== undefined && row.messages !== undefined) refuse('has both text and messages', 'messages')
  })
export type TokenizeRow = z.infer<typeof tokenizeRowSchema>
