import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as grammar from './grammar.ts'
import { evaluateResponse, response, undecodable } from './rubric.ts'

const json = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../../test/golden/corpus/${name}`, import.meta.url), 'utf8'))

describe('grammar', () => {
  it('is the declared one, word for word', () => {
    const declared = json('rubric.json')
    expect(grammar.actionNames).toEqual(declared.action_names)
    expect(grammar.contexts).toEqual(declared.contexts)
    expect(grammar.phrases).toEqual(declared.phrases)
    expect(grammar.openings).toEqual(declared.openings_by_certainty)
    expect(grammar.closings).toEqual(declared.closings_by_certainty)
    expect(grammar.politePrefix).toBe(declared.polite_prefix)
    expect(grammar.refusals).toEqual(declared.refusals)
  })
  it('has 36 distinct sentences', () => {
    const all = grammar.actions.flatMap((action) =>
      grammar.certainties.flatMap((certainty) => [
        response(action, certainty, false),
        response(action, certainty, true),
      ]),
    )
    expect(new Set(all).size).toBe(36)
  })
})

describe('rubric', () => {
  const stored = json('corpus.json').rubric_evaluations as {
    text: string
    finish_reason: 'eos' | 'length'
    expected_action: number
    result: unknown
  }[]
  it('gives every stored verdict, key for key', () => {
    for (const { text, finish_reason, expected_action, result } of stored) {
      expect(evaluateResponse(text, finish_reason, expected_action), `${text} ${finish_reason}`).toEqual(result)
    }
  })
  it('every sentence succeeds exactly for its own action without unsupported certainty', () => {
    for (const action of grammar.actions) {
      for (const certainty of grammar.certainties) {
        for (const expected of grammar.actions) {
          const verdict = evaluateResponse(response(action, certainty, true), 'eos', expected)
          expect(verdict.rubric_success).toBe(action === expected && certainty !== 2)
          expect(verdict).toMatchObject({ recognized: true, action, certainty, polite: true })
        }
      }
    }
  })
  it('truncation is the stop reason of the sampler: a complete sentence cut by length is not accepted', () => {
    const verdict = evaluateResponse(response(0, 1, false), 'length', 0)
    expect(verdict).toMatchObject({ recognized: false, status: 'UNCERTIFIED', reason: 'without_eos' })
  })
  it('prose outside the grammar is UNCERTIFIED, not wrong and never a success', () => {
    expect(evaluateResponse('Please resume the queue.', 'eos', 0)).toMatchObject({
      status: 'UNCERTIFIED',
      reason: 'outside_grammar',
      unsupported_certainty: null,
      rubric_success: false,
    })
    expect(undecodable).toMatchObject({ status: 'UNCERTIFIED', reason: 'undecodable_token', recognized: false })
  })
})
