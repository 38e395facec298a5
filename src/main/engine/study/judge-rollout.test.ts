import { expect, test } from 'vitest'
import { expectedActionOf, generateCorpus } from './corpus.ts'
import { judgeRollout } from './judge-rollout.ts'
import { response } from './rubric.ts'

test('the target of every corpus row follows from its family', () => {
  const { labels } = generateCorpus()
  for (const { document_id, expected_action } of labels)
    if (!document_id.startsWith('PROBE')) expect(expectedActionOf(document_id)).toBe(expected_action)
  for (const foreign of ['mine-1', 'OH240-RL0', 'OHx', 'OH1-RL0', 'PROBE00-C1-P0'])
    expect(expectedActionOf(foreign)).toBe(null)
})

test('a rollout is judged by its own context, its stop reason and its tokens', () => {
  const rollout = {
    prompt_id: 'OH081-RL2',
    text: response(2, 1, false),
    finish_reason: 'eos',
    tokenization_valid: true,
  } as const
  expect(judgeRollout(rollout)?.rubric_success).toBe(true)
  expect(judgeRollout({ ...rollout, prompt_id: 'OH001-RL2' })?.rubric_success).toBe(false)
  expect(judgeRollout({ ...rollout, finish_reason: 'length' })?.recognized).toBe(false)
  expect(judgeRollout({ ...rollout, tokenization_valid: false })?.reason).toBe('undecodable_token')
  expect(judgeRollout({ ...rollout, prompt_id: 'mine-1' })).toBe(null)
})
