import { describe, expect, it } from 'vitest'
import { hashOf, type Route, routeOf } from './route.ts'

const routes: readonly Route[] = [
  { screen: 'studies' },
  { screen: 'runs' },
  { screen: 'doctor' },
  { screen: 'study', study: 'study-1' },
  { screen: 'run', run: 'run 1/2' },
  { screen: 'samples', study: null },
  { screen: 'probes', study: 'study-1' },
  { screen: 'reports', study: 'study-1' },
  { screen: 'reports', study: 'study-1', at: 'figure-ppo-reward' },
  { screen: 'lattice', study: 'study-1', rollout: 'i0001/p-4?x=%' },
  { screen: 'compare', runs: [] },
  { screen: 'compare', runs: ['a', 'b,c'.replace(',', '-')] },
  { screen: 'credit', tab: 'shares', source: null, rollouts: [], result: null },
  {
    screen: 'credit',
    tab: 'methods',
    source: { kind: 'run', run_id: 'run-1', iterations: [3, 5] },
    rollouts: ['a,b', 'c&d'],
    result: null,
  },
  { screen: 'credit', tab: 'tokens', source: { kind: 'file', sha256: 'f'.repeat(64) }, rollouts: [], result: 'run-2' },
  { screen: 'new', wizard: 'ppo', study: null },
  { screen: 'new', wizard: 'report', study: 'study-1' },
]

describe('addresses', () => {
  it.each(routes)('lead back to the place %j', (route) => {
    expect(routeOf(hashOf(route))).toEqual(route)
  })

  it.each(['', '#', '#/', '#/nowhere', '#/study', '#/new/croissant', '#/%E0%A4%A'])('%j leads home', (hash) => {
    expect(routeOf(hash)).toEqual({ screen: 'studies' })
  })
})
