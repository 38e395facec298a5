/**
 * Generation over several turns: a batch of rows is sampled turn by turn, each turn is shown to the caller, and what the
 * caller replies is read beside the kept keys and values. Knows no environment and no chat template.
 */
import type { LearnedState } from '../checkpoint/learned-state.ts'
import { columnMultiple } from './batch.ts'
import { DecodingRows, decodingWeights, type RowLogits } from './decoding-rows.ts'
import { type Choice, choose, type Generated } from './generate.ts'
import type { LearnedLayout, Model } from './model.ts'
import { packable } from './packed-decoder.ts'

export interface TurnsRequest {
  /** All that stands before the first sampled token: a request, or a longer prefix to go on from. */
  readonly prompts: readonly (readonly number[])[]
  readonly maxTurnTokens: number
  /** Tokens of a whole row. A turn that reaches it is cut (`length`). */
  readonly contextTokens: number
  /** A turn ends with the first of these; it is kept as the turn's last token. */
  readonly eosIds: readonly number[]
  readonly choice: Choice
  /** Rows of the compiled graphs; prompts are taken in groups of this size. */
  readonly batch: number
  readonly promptColumns: number
  /**
   * Told of every turn as it ends, in the order of rows within a step. Returns the tokens that come before the row's next
   * turn, fewer than `room`, or null where the row ends.
   */
  readonly reply: (row: number, turn: Generated, room: number) => readonly number[] | null
}

/** The cache of a small model grows by this many tokens, so that short episodes do not pay for long ones. */
const capacityStep = 64

/** Resolves when every row has ended. @throws RangeError for a prompt or a reply that leaves no room for a token */
export async function generateTurns(
  model: Model,
  layout: LearnedLayout,
  state: LearnedState | null,
  request: TurnsRequest,
  onRows?: (done: number) => void | Promise<void>,
): Promise<void> {
  const weights = await decodingWeights(model, layout, state)
  const { prompts, batch, promptColumns, contextTokens } = request
  for (const prompt of prompts)
    if (prompt.length >= contextTokens)
      throw new RangeError(`a prompt of ${prompt.length} tokens leaves no room in ${contextTokens}`)
  // A large model compiles one wide graph instead of several.
  const growth = packable(model) ? capacityStep : contextTokens
  for (let first = 0; first < prompts.length; first += batch) {
    const reserved = (tokens: number) => Math.min(roundUp(tokens, growth), roundUp(contextTokens, columnMultiple))
    const decoder = new DecodingRows(model, layout, weights, {
      batch,
      promptColumns,
      capacity: reserved(promptColumns + 1),
    })
    await decodeTurns(decoder, request, first, reserved)
    await onRows?.(Math.min(first + batch, prompts.length))
  }
}

interface Row {
  /** Tokens of the row so far. */
  length: number
  /** Of the turn being sampled. */
  tokenIds: number[]
  logprobs: number[]
  /** Tokens that the cache has not read: the newest one, and after a turn the reply. Null: the row has ended. */
  unread: readonly number[] | null
}

async function decodeTurns(
  decoder: DecodingRows,
  request: TurnsRequest,
  first: number,
  reserved: (tokens: number) => number,
): Promise<void> {
  const prompts = request.prompts.slice(first, first + request.batch)
  const rows = prompts.map(({ length }): Row => ({ length, tokenIds: [], logprobs: [], unread: [] }))
  let logits = await decoder.prefill(prompts)
  // Every row has logits to choose from; later, only those that were fed.
  let fed = rows.map(() => true)
  for (;;) {
    rows.forEach((row, b) => {
      if (fed[b]) chooseToken(row, first + b, logits, b, request)
    })
    // A turn that ended waits with its reply until no row of the batch samples any more: replies are read together.
    const sampling = rows.some((row) => row.tokenIds.length > 0)
    fed = rows.map((row) => row.unread !== null && (sampling ? row.tokenIds.length > 0 : true))
    if (!fed.some(Boolean)) return
    const given = rows.map((row, b) => (fed[b] ? row.unread! : []))
    const needed = rows.reduce((longest, row, b) => (fed[b] ? Math.max(longest, row.length) : longest), 0)
    decoder.reserve(reserved(needed))
    logits = sampling
      ? await decoder.step(given.map((tokens) => tokens[0] ?? null))
      : await decoder.extend(given, roundUp(Math.max(...given.map((tokens) => tokens.length)), columnMultiple))
  }
}

function chooseToken(row: Row, index: number, logits: RowLogits, b: number, request: TurnsRequest): void {
  const { id, logprob } = choose(logits(b), request.choice)
  row.tokenIds.push(id)
  row.logprobs.push(logprob)
  row.length += 1
  row.unread = [id]
  const room = request.contextTokens - row.length
  const eos = request.eosIds.includes(id)
  if (!eos && room > 0 && row.tokenIds.length < request.maxTurnTokens) return
  const { tokenIds, logprobs } = row
  const reply = request.reply(index, { tokenIds, logprobs, finishReason: eos ? 'eos' : 'length' }, room)
  if (reply !== null && reply.length >= room)
    throw new RangeError(`a reply of ${reply.length} tokens leaves no room for a turn in ${room}`)
  row.tokenIds = []
  row.logprobs = []
  row.unread = reply === null ? null : [id, ...reply]
  row.length += reply?.length ?? 0
}

const roundUp = (value: number, multiple: number) => Math.ceil(value / multiple) * multiple
