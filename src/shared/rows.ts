/** Data rows as they stand in JSONL files, and encoded rows as the engine takes them. */

export interface ChatMessage {
  readonly role: string
  readonly content: string
}

/** A string prompt is one user message. */
export type Prompt = string | readonly ChatMessage[]

/** One prompt and completion in token ids; made by `engine/learn/encode.ts`, never truncated. */
export interface EncodedRow {
  readonly id: string
  readonly promptIds: readonly number[]
  /** Response tokens, the closing EOS included where the text came from a template. */
  readonly completionIds: readonly number[]
  /** Which of them are the policy's own, in a conversation of several turns; absent: all. Only these are learned. */
  readonly actionMask?: readonly boolean[]
}

export interface EncodedPair {
  readonly id: string
  readonly chosen: EncodedRow
  readonly rejected: EncodedRow
}
