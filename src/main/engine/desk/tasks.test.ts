import { describe, expect, it } from 'vitest'
import { openTokenizer } from '../checkpoint/tokenizer.ts'
import { officeDocuments } from '../pretrain/office-corpus.ts'
import { demonstrations } from './demonstrations.ts'
import { styles } from './expert.ts'
import { deskPairs } from './preferences.ts'
import { deskSplits, deskTasks } from './tasks.ts'

const tasks = deskTasks()

describe('the tasks of a seed', () => {
  it('are the same for the same seed, and another seed moves families between splits', () => {
    expect(deskTasks(49)).toEqual(tasks)
    const splits = (seed: number) => deskTasks(seed).map(({ split }) => split)
    expect(splits(50)).not.toEqual(splits(49))
  })
  it('are 50 families with each candidate at fault once in each of three requests', () => {
    expect(new Set(tasks.map(({ family }) => family)).size).toBe(50)
    expect(tasks.length).toBe(3 * (15 * 2 + 20 * 3 + 15 * 4))
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(tasks.length)
    expect(deskSplits.map((split) => tasks.filter((task) => task.split === split).length)).toEqual([270, 90, 90])
  })
  it('never share a family, or a set of candidates, between splits', () => {
    const splitsOf = (name: (task: (typeof tasks)[number]) => string) => {
      const found = new Map<string, Set<string>>()
      for (const task of tasks) found.set(name(task), (found.get(name(task)) ?? new Set()).add(task.split))
      return [...found.values()].map((splits) => splits.size)
    }
    expect(Math.max(...splitsOf(({ family }) => family))).toBe(1)
    expect(Math.max(...splitsOf(({ candidates }) => candidates.toSorted().join()))).toBe(1)
  })
  it('say nothing of the fault in the request', () => {
    for (const task of tasks) {
      const sameRequest = tasks.filter(({ prompt }) => prompt === task.prompt)
      expect(new Set(sameRequest.map(({ fault }) => fault))).toEqual(new Set(task.candidates))
    }
  })
})

describe('demonstrations', () => {
  const rows = demonstrations(tasks.filter(({ split }) => split === 'train').slice(0, 60), { perTask: 4, seed: 49 })
  it('are the same for the same seed, come in every style, and explore: some fail, some go round', () => {
    const again = demonstrations(tasks.filter(({ split }) => split === 'train').slice(0, 60), { perTask: 4, seed: 49 })
    expect(again).toEqual(rows)
    expect(new Set(rows.map(({ style }) => style))).toEqual(new Set(styles))
    const success = rows.filter((row) => row.success).length / rows.length
    expect(success).toBeGreaterThan(0.7)
    expect(success).toBeLessThan(0.98)
    expect(rows.some(({ turns }) => turns.some(({ event }) => event === 'locked'))).toBe(true)
  })
  it('never show a turn that is no action of the desk', () => {
    expect(rows.flatMap(({ turns }) => turns).filter(({ event }) => event === 'invalid' || event === 'cut')).toEqual([])
  })
  it('fit the embedded checkpoint', () => {
    const tokenizer = openTokenizer(new URL('../../../../resources/models/embedded', import.meta.url).pathname)
    const tokens = ({ text }: { text?: string }) => tokenizer.encode(text!).length
    for (const turn of rows.flatMap(({ turns }) => turns)) {
      if (turn.role === 'tool') expect(tokens(turn)).toBeLessThanOrEqual(12)
      if (turn.role === 'assistant') expect(tokens(turn)).toBeLessThan(32)
      if (turn.role === 'user') expect(tokens(turn)).toBeLessThan(56)
    }
  })
})

describe('preference pairs', () => {
  it('set the fitting answer against one that fails', () => {
    const pairs = deskPairs(tasks.slice(0, 50), 2, 7)
    expect(pairs).toHaveLength(100)
    for (const { chosen, rejected, prompt } of pairs) {
      expect(chosen).not.toBe(rejected)
      expect(prompt.at(-1)!.role).toBe('tool')
    }
    expect(deskPairs(tasks.slice(0, 50), 2, 7)).toEqual(pairs)
  })
})

it('no sentence of the desk’s requests or checks was in the pretraining corpus', () => {
  const documents = officeDocuments(2049)
  for (let i = 0; i < 2000; i++) {
    const { value } = documents.next()
    const text = value!.kind === 'note' ? value!.text : value!.prompt
    expect(text).not.toMatch(/One is not fixed|A check of the/)
  }
})
