/** The pretraining corpus never repeats a prompt of the study, and its answers say nothing about the questions. */
import { describe, expect, test } from 'vitest'
import { contexts, phrases } from '../study/grammar.ts'
import { evaluateResponse } from '../study/rubric.ts'
import { type OfficeDocument, officeDocuments, studyPrompts } from './office-corpus.ts'
import { officeTiny } from './recipe.ts'

function read(count: number, seed = officeTiny.corpusSeed): OfficeDocument[] {
  const documents = officeDocuments(seed)
  return Array.from({ length: count }, () => documents.next().value)
}
const all = read(Math.max(officeTiny.tokenizerDocuments, officeTiny.steps * officeTiny.batchRows))
const chats = all.filter((document) => document.kind === 'chat')

describe('everything the shipped model has read', () => {
  test('holds no prompt of the study: pair, demonstration, rollout or probe', () => {
    const study = studyPrompts()
    expect(study.size).toBe(1200 + 20 + 168 + 672)
    expect(chats.filter(({ prompt }) => study.has(prompt))).toEqual([])
    const notes = all.filter((document) => document.kind === 'note')
    expect(notes.some(({ text }) => contexts.some((context) => text.includes(context)))).toBe(false)
  })

  test('names the fitting action no more often than chance does', () => {
    const known = chats.flatMap(({ prompt, answer }) => {
      const right = contexts.findIndex((context) => prompt.includes(context))
      return right === -1 || !phrases.some((phrase) => answer.includes(phrase)) ? [] : [{ right, answer }]
    })
    const fitting = known.filter(({ right, answer }) => answer.includes(phrases[right]!)).length / known.length
    expect(known.length).toBeGreaterThan(5000)
    expect(Math.abs(fitting - 1 / 6)).toBeLessThan(4 * Math.sqrt(5 / 36 / known.length))
  })

  test('answers in the forms of the grammar only', () => {
    const verdicts = chats.map(({ answer }) => evaluateResponse(answer, 'eos', 0))
    expect(verdicts.every(({ recognized, refusal }) => recognized || refusal)).toBe(true)
  })
})

test('the same seed writes the same documents, another seed others', () => {
  expect(read(50)).toEqual(all.slice(0, 50))
  expect(read(50, 1)).not.toEqual(all.slice(0, 50))
})
