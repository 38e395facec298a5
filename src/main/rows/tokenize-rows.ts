/** Rows of `tokenize` to ids: text as it stands, conversations through the checkpoint's chat template. */

import { readRows } from './read-rows.ts'
import type { TokenizeRow } from './row-schemas.ts'
import { tokenizeRowSchema } from './row-schemas.ts'

export interface ChatTokenizer {
  encode(text: string): readonly number[]
  renderChat(
    messages: NonNullable<TokenizeRow['messages']>,
    options: { readonly addGenerationPrompt: boolean; readonly tools?: NonNullable<TokenizeRow['tools']> },
  ): string
}

export interface TokenizedRow {
  readonly id?: string
  readonly ids: readonly number[]
  /** What the tokenizer was given: the row's text, or the rendered template. */
  readonly text: string
}

export async function tokenizeRows(file: string, tokenizer: ChatTokenizer): Promise<TokenizedRow[]> {
  const rows = await readRows(file, tokenizeRowSchema)
  return rows.map(({ row }) => {
    const text = row.messages === undefined ? (row.text ?? '') : rendered(tokenizer, row, row.messages)
    return { ...(row.id === undefined ? {} : { id: row.id }), ids: tokenizer.encode(text), text }
  })
}

function rendered(tokenizer: ChatTokenizer, row: TokenizeRow, messages: NonNullable<TokenizeRow['messages']>): string {
  return tokenizer.renderChat(messages, {
    addGenerationPrompt: row.add_generation_prompt ?? true,
    ...(row.tools === undefined ? {} : { tools: row.tools }),
  })
}
