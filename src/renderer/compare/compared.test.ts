import { describe, expect, it } from 'vitest'
import { fixtureDocument } from '../../main/report/fixture/study-document.ts'
import type { RunView } from '../../shared/ipc.ts'
import { comparedMeasures, differingSettings, figuresOf, seedGroups, spreadOf } from './compared.ts'

const document = fixtureDocument()
const run = document.runs.find(({ stage }) => stage === 'ppo')!
const view = (config: Readonly<Record<string, unknown>>): RunView => ({
  run: { ...run, config },
  study_id: null,
  preset: 'embedded',
  updates: [],
  ppo_updates: document.curves.ppo,
  iterations: document.iterations,
  validations: [],
  memory: [],
})

describe('runs side by side', () => {
  it('list only what differs', () => {
    const views = [view({ seed: 49, gamma: 1 }), view({ seed: 50, gamma: 1 }), view({ seed: 50, gamma: 1, own: true })]
    expect(differingSettings(views)).toEqual([
      { name: 'own', values: [undefined, undefined, true] },
      { name: 'seed', values: [49, 50, 50] },
    ])
  })

  it('have figures that pass over what is not finite', () => {
    const points = [1, Number.NaN, 3, null, 2].map((y, index) => ({ x: index + 1, y }))
    expect(figuresOf(points, 4)).toEqual({ last: 2, min: 1, max: 3, atStep: 3 })
    expect(figuresOf([], 4)).toEqual({ last: null, min: null, max: null, atStep: null })
  })

  it('are grouped where only the seed differs', () => {
    const views = [view({ seed: 1, a: 1, b: 2 }), view({ b: 2, a: 1, seed: 2 }), view({ seed: 3, a: 9, b: 2 })]
    expect(seedGroups(views)).toEqual([{ runs: [0, 1], seeds: [1, 2] }])
    expect(seedGroups([views[0]!, views[0]!])).toEqual([])
  })

  it('spread over seeds with n − 1', () => {
    expect(spreadOf([1, 2, 3, null])).toEqual({ mean: 2, sd: 1, n: 3 })
    expect(spreadOf([1, null])).toBeNull()
  })

  it('share their measures', () => {
    const measures = comparedMeasures([view({}), { ...view({}), ppo_updates: [], iterations: [] }])
    expect(measures.map(({ id }) => id)).toContain('learned-reward')
    expect(measures[0]!.series).toHaveLength(2)
  })
})
