/** The embedded model in the repository: whole, from the recipe in the code, and read as the study reads it. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { openBase } from '../checkpoint/hf-folder.ts'
import { checkTokenizerFits, openTokenizer } from '../checkpoint/tokenizer.ts'
import { generateCorpus } from '../study/corpus.ts'
import { actions, certainties, response } from '../study/grammar.ts'
import { provenanceFile } from './pretrain.ts'
import { officeTiny } from './recipe.ts'

const dir = fileURLToPath(new URL('../../../../resources/models/embedded', import.meta.url))
const provenance = JSON.parse(readFileSync(path.join(dir, provenanceFile), 'utf8')) as {
  recipe: unknown
  parameters: number
  files: Record<string, string>
}

describe('the files', () => {
  test('have the recorded hashes, and there are no others', () => {
    const present = readdirSync(dir).filter((name) => name !== provenanceFile)
    const hash = (name: string) =>
      createHash('sha256')
        .update(readFileSync(path.join(dir, name)))
        .digest('hex')
    expect(Object.fromEntries(present.sort().map((name) => [name, hash(name)]))).toEqual(provenance.files)
  })

  test('were made by the recipe in the code, and take at most 8 MB', () => {
    expect(provenance.recipe).toEqual(JSON.parse(JSON.stringify(officeTiny)))
    const bytes = readdirSync(dir).reduce((sum, name) => sum + statSync(path.join(dir, name)).size, 0)
    expect(bytes).toBeLessThan(8_000_000)
  })
})

describe('the model', () => {
  const base = openBase(dir)
  const tokenizer = openTokenizer(dir)

  test('has the shape of the recipe and a tokenizer that fills its vocabulary', () => {
    checkTokenizerFits(base, tokenizer)
    expect(base.config).toEqual(officeTiny.model)
    expect([tokenizer.size, tokenizer.eosId, tokenizer.padId]).toEqual([1024, 1023, 1021])
    expect(base.eosIds).toEqual([1023, 1021])
    expect(provenance.parameters).toBe(919_680)
  })

  test('reads every prompt of the study in 100 tokens and every answer in 40', () => {
    const { pages, warm, rollouts } = generateCorpus()
    const prompts = [...pages, ...warm, ...rollouts].map(({ prompt }) =>
      tokenizer.encode(tokenizer.renderChat([{ role: 'user', content: prompt }])),
    )
    expect(Math.max(...prompts.map((ids) => ids.length))).toBeLessThanOrEqual(100)
    for (const action of actions)
      for (const certainty of certainties) {
        const text = response(action, certainty, true)
        const ids = tokenizer.encode(text)
        expect(ids.length).toBeLessThanOrEqual(40)
        expect(tokenizer.decode(ids)).toBe(text)
      }
  })

  test('gives the ids that transformers gives', () => {
    const golden = JSON.parse(readFileSync(new URL('./golden-ids.json', import.meta.url), 'utf8')) as {
      text: string
      ids: number[]
    }[]
    for (const { text, ids } of golden) expect(tokenizer.encode(text), text).toEqual(ids)
  })
})
