/**
 * Prompts with scored examples to token ids, with the columns that the examples and their scores stand in. The one place that
 * says how an example is written. All are part of one user message, before the prompt:
 *
 *     Request: {example's prompt; the line is left out where it has none}
 *     Response: {response}
 *     Score: {score}
 *     (empty line)
 *     {prompt}
 *
 * Text between scores, scores and the rest are tokenised one by one and joined: no merge crosses their boundaries, so another
 * order of the scores changes no token but theirs.
 */
import { BadInput } from '../../shared/bad-input.ts'
import type { RowTokenizer } from './encode.ts'
import { type PlacedRow, rowPlace } from './read-rows.ts'
import type { ScoredExample, ScoredExamplesRow } from './scored-example-rows.ts'

/** Columns from `start` to before `end`. */
export interface Columns {
  readonly start: number
  readonly end: number
}

export interface EncodedExample extends Columns {
  readonly score: number
  readonly scoreColumns: Columns
}

export interface EncodedExamples {
  readonly ids: readonly number[]
  /** Of all examples together; empty where there are none. */
  readonly span: Columns
  readonly examples: readonly EncodedExample[]
}

export interface ScoredPrompt extends EncodedExamples {
  readonly id: string
  /** The same with the scores in another order; null where all of them read the same. */
  readonly control: (EncodedExamples & { readonly order: ScoreOrder; readonly samePositions: boolean }) | null
}

export type ScoreOrder = 'reversed' | 'shifted'

export interface ExamplesEncoder {
  /** Named in messages. */
  readonly file: string
  readonly tokenizer: RowTokenizer
  /** Of the model, with the folder it stands in. */
  readonly maxPositions: number
  readonly modelDir: string
}

const scoreText = (score: number) => String(score)
const beforeScore = ({ prompt, response }: ScoredExample) =>
  `${prompt === undefined ? '' : `Request: ${prompt}\n`}Response: ${response}\nScore: `
const afterScore = '\n\n'

/** @throws BadInput for a template that changes the examples' text, and for more tokens than the model has positions for */
export function encodeScoredExamples(
  encoder: ExamplesEncoder,
  { row, line }: PlacedRow<ScoredExamplesRow>,
): ScoredPrompt {
  const { file, tokenizer, maxPositions, modelDir } = encoder
  const refuse = (problem: string): never => {
    throw new BadInput(file, problem, rowPlace(row.id, line))
  }
  const written = row.examples.map((example) => beforeScore(example) + scoreText(example.score) + afterScore).join('')
  const rendered = tokenizer.renderChat([{ role: 'user', content: written + row.prompt }], {
    addGenerationPrompt: true,
  })
  const at = rendered.indexOf(written)
  if (at === -1)
    refuse("the checkpoint's chat template changes the text of the examples, so their columns cannot be told apart")
  const head = tokenizer.encode(rendered.slice(0, at))
  const tail = tokenizer.encode(rendered.slice(at + written.length))
  if (tail.length === 0) refuse('the prompt is empty')
  const texts = row.examples.map((example) => tokenizer.encode(beforeScore(example)))
  const join = (scores: readonly number[]) => joined(tokenizer, head, texts, scores, tail)

  const given = row.examples.map(({ score }) => score)
  const whole = join(given)
  if (whole.ids.length > maxPositions)
    refuse(`has ${whole.ids.length} tokens, more than the ${maxPositions} positions of ${modelDir}`)
  const other = otherOrder(given)
  if (other === null) return { id: row.id, ...whole, control: null }
  const control = join(other.scores)
  const samePositions = whole.examples.every(({ scoreColumns: { start, end } }, k) => {
    const moved = control.examples[k]!.scoreColumns
    return moved.start === start && moved.end === end
  })
  return { id: row.id, ...whole, control: { ...control, order: other.order, samePositions } }
}

/** Reversed, or shifted by one place where that reads the same; null where every score does. */
export function otherOrder(scores: readonly number[]): { order: ScoreOrder; scores: readonly number[] } | null {
  const differs = (other: readonly number[]) => other.some((score, k) => scoreText(score) !== scoreText(scores[k]!))
  const reversed = scores.toReversed()
  if (differs(reversed)) return { order: 'reversed', scores: reversed }
  const shifted = [...scores.slice(1), ...scores.slice(0, 1)]
  return differs(shifted) ? { order: 'shifted', scores: shifted } : null
}

function joined(
  tokenizer: RowTokenizer,
  head: readonly number[],
  texts: readonly (readonly number[])[],
  scores: readonly number[],
  tail: readonly number[],
): EncodedExamples {
  const ids = [...head]
  const examples = texts.map((text, k): EncodedExample => {
    const start = ids.length
    ids.push(...text)
    const scoreStart = ids.length
    ids.push(...tokenizer.encode(scoreText(scores[k]!)))
    const scoreEnd = ids.length
    ids.push(...tokenizer.encode(afterScore))
    return { score: scores[k]!, start, end: ids.length, scoreColumns: { start: scoreStart, end: scoreEnd } }
  })
  const span = { start: head.length, end: ids.length }
  ids.push(...tail)
  return { ids, span, examples }
}
