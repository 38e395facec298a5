/**
 * A tokenizer beside an import: turns that are only text are tokenised, each on its own; token ids that were recorded
 * stay as they are, get a text to be read by, and are named where that text would be tokenised differently.
 */
import type { ImportedRow, ImportedTurn } from './rollout-row.ts'

export interface TextTokenizer {
  encode(text: string): readonly number[]
  decode(ids: readonly number[]): string
}

export class TokenCheck {
  readonly #tokenizer: TextTokenizer
  /** Turns whose ids were made here. */
  tokenised = 0
  /** Turns with recorded ids that their text does not give. */
  differingTurns = 0
  readonly differingRows: string[] = []

  constructor(tokenizer: TextTokenizer) {
    this.#tokenizer = tokenizer
  }

  apply(row: ImportedRow): ImportedRow {
    const differing: number[] = []
    const turns = row.turns.map((turn, k) => {
      const { turn: filled, differs } = this.#turn(turn)
      if (differs) differing.push(k)
      return filled
    })
    if (differing.length === 0) return { ...row, turns }
    this.differingTurns += differing.length
    this.differingRows.push(row.id)
    return { ...row, turns, reencodes_differently: differing }
  }

  #turn(turn: ImportedTurn): { readonly turn: ImportedTurn; readonly differs: boolean } {
    const { text, token_ids: ids } = turn
    if (ids === undefined) {
      this.tokenised++
      return { turn: { ...turn, token_ids: this.#tokenizer.encode(text ?? '') }, differs: false }
    }
    const own = text ?? this.#tokenizer.decode(ids)
    const again = this.#tokenizer.encode(own)
    const differs = again.length !== ids.length || again.some((id, k) => id !== ids[k])
    return { turn: { ...turn, text: own }, differs }
  }
}
