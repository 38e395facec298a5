/** Prompts with scored examples: how they are written, where their columns lie, other orders of scores, and refusals. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkpoints, expectBadInput } from '../engine/checkpoint/checkpoint-fixtures.ts'
import { openTokenizer } from '../engine/checkpoint/tokenizer.ts'
import { encodeScoredExamples, otherOrder } from './encode-scored-examples.ts'
import { firstFault } from './read-rows.ts'
import { largestScore, mostExamples, type ScoredExamplesRow, scoredExamplesSchema } from './scored-example-rows.ts'

const tokenizer = openTokenizer(join(checkpoints, 'base_f32'))
const encoder = { file: 'rows.jsonl', tokenizer, maxPositions: 512, modelDir: 'base' }
const row = (examples: ScoredExamplesRow['examples'], prompt = 'What now?') => ({
  line: 1,
  row: { id: 'r', examples, prompt },
})
const encode = (examples: ScoredExamplesRow['examples']) => encodeScoredExamples(encoder, row(examples))
const decoded = (ids: readonly number[], { start, end }: { start: number; end: number }) =>
  tokenizer.decode(ids.slice(start, end))

test('the examples stand in the one user message, before the prompt, and their columns say where', () => {
  const { ids, span, examples } = encode([
    { prompt: 'Why?', response: 'So.', score: 1 },
    { response: 'Later.', score: -0.25 },
  ])
  expect(tokenizer.decode(ids)).toBe(
    '<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n<|im_start|>user\n' +
      'Request: Why?\nResponse: So.\nScore: 1\n\nResponse: Later.\nScore: -0.25\n\nWhat now?<|im_end|>\n<|im_start|>assistant\n',
  )
  expect(decoded(ids, span)).toBe('Request: Why?\nResponse: So.\nScore: 1\n\nResponse: Later.\nScore: -0.25\n\n')
  expect(examples.map((example) => decoded(ids, example))).toEqual([
    'Request: Why?\nResponse: So.\nScore: 1\n\n',
    'Response: Later.\nScore: -0.25\n\n',
  ])
  expect(examples.map(({ scoreColumns }) => decoded(ids, scoreColumns))).toEqual(['1', '-0.25'])
})

test('another order changes the scores and nothing else, and says where their lengths move what lies between', () => {
  const whole = encode([
    { response: 'A.', score: 1 },
    { response: 'B.', score: 0 },
  ])
  const { control, ids, span } = whole
  expect(control).toMatchObject({ order: 'reversed', samePositions: true, span })
  expect(ids.flatMap((id, j) => (control!.ids[j] === id ? [] : [j]))).toEqual(
    whole.examples.map(({ scoreColumns }) => scoreColumns.start),
  )
  const uneven = encode([
    { response: 'A.', score: 1 },
    { response: 'B.', score: 0.5 },
  ])
  expect(uneven.control).toMatchObject({ samePositions: false, span: uneven.span })
  expect(uneven.control!.ids.toSorted()).toEqual(uneven.ids.toSorted())
})

test('orders: reversed, shifted where the reverse is the same, none where all scores are', () => {
  expect(otherOrder([1, 0])).toEqual({ order: 'reversed', scores: [0, 1] })
  expect(otherOrder([1, 0, 1])).toEqual({ order: 'shifted', scores: [0, 1, 1] })
  for (const same of [[], [1], [2, 2, 2], [0, -0]]) expect(otherOrder(same)).toBeNull()
})

test('a row without examples is its prompt', () => {
  const { ids, span, examples, control } = encode([])
  expect(span.start).toBe(span.end)
  expect({ examples, control }).toEqual({ examples: [], control: null })
  expect(ids).toEqual(
    tokenizer.encode(tokenizer.renderChat([{ role: 'user', content: 'What now?' }], { addGenerationPrompt: true })),
  )
})

test('refuses what does not fit the model, and a template that rewrites its messages', () => {
  const one = row([{ response: 'So.', score: 1 }])
  expectBadInput(
    () => encodeScoredExamples({ ...encoder, maxPositions: 10 }, one),
    /^rows\.jsonl: has \d+ tokens, more than the 10 positions of base \(row r, line 1\)$/,
  )
  const loud = {
    ...tokenizer,
    renderChat: (messages: readonly { content?: unknown }[]) => String(messages[0]!.content).toUpperCase(),
  }
  expectBadInput(() => encodeScoredExamples({ ...encoder, tokenizer: loud }, one), /changes the text of the examples/)
})

test.each([
  [{}, 'examples: must be a list of {prompt?, response, score}'],
  [{ examples: [{ response: 'r' }] }, 'examples[0].score: must be a number'],
  [{ examples: [{ response: 'r', score: '1' }] }, 'examples[0].score: must be a number'],
  [{ examples: [{ response: '', score: 1 }] }, 'examples[0].response: is empty'],
  [{ examples: [{ response: 'r', score: 1, promt: 'p' }] }, 'examples[0]: Unrecognized key: "promt"'],
  [{ examples: [{ response: 'r', score: 2 * largestScore }] }, 'examples[0].score: lies outside −1000000 to 1000000'],
  [
    { examples: Array.from({ length: mostExamples + 1 }, () => ({ response: 'r', score: 1 })) },
    `examples: has more than ${mostExamples} examples`,
  ],
  [{ examples: [], prompt: '' }, 'prompt: is empty'],
])('row %#: one sentence', (fields, message) => {
  const parsed = scoredExamplesSchema.safeParse({ id: 'r', prompt: 'p', ...fields })
  expect(firstFault(parsed.error!)).toBe(message)
})
