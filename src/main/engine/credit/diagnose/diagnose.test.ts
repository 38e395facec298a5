/** Each diagnostic finds the fault that it is for, and is quiet without it. */
import { expect, test } from 'vitest'
import type { Diagnosis } from '../../../../shared/credit-estimates.ts'
import type { Trajectory, Turn } from '../../../../shared/trajectory.ts'
import { methodNamed } from '../estimators/registry.ts'
import type { GivenSettings } from '../estimators/settings.ts'
import { diagnose, usualMethod } from './diagnose.ts'

const ask: Turn = { role: 'user', token_ids: [1], text: 'ask' }
const said = (tokens: number, more: Partial<Turn> = {}): Turn => ({
  role: 'assistant',
  token_ids: Array<number>(tokens).fill(2),
  values: Array<number>(tokens).fill(0.5),
  ...more,
})
const seen = (more: Partial<Turn> = {}): Turn => ({ role: 'tool', text: 'seen', token_ids: [3, 4], ...more })
const row = (id: string, reward: number | null, more: Partial<Trajectory> = {}): Trajectory => ({
  id,
  group: 'g',
  reward,
  terminated: true,
  truncated: false,
  turns: [ask, said(2), seen(), said(2)],
  ...more,
})

const ids = [
  'hand-computed',
  'endings',
  'observation-perturbation',
  'advantage-scales',
  'horizon-decay',
  'process-reward-off',
  'confident-wrong',
  'double-counting',
]

function examine(rows: readonly Trajectory[], method?: string, given: GivenSettings = {}): Map<string, Diagnosis> {
  const usual = method === undefined ? usualMethod(rows) : { method: methodNamed(method, '--method'), given: {} }
  const { checks } = diagnose(rows, usual.method, { ...usual.given, ...given }, 'file')
  expect(checks.map(({ id }) => id)).toEqual(ids)
  return new Map(checks.map((check) => [check.id, check]))
}
const one = (id: string, rows: readonly Trajectory[], method?: string, given: GivenSettings = {}) =>
  examine(rows, method, given).get(id)!

const plain = [row('a', 1), row('b', 0)]

test('a plain file: what is recorded is sound, what is not is skipped', () => {
  const found = examine(plain)
  const status = Object.fromEntries([...found].map(([id, check]) => [id, check.status]))
  expect(status).toEqual({
    'hand-computed': 'ok',
    endings: 'ok',
    'observation-perturbation': 'ok',
    'advantage-scales': 'ok',
    'horizon-decay': 'ok',
    'process-reward-off': 'skipped',
    'confident-wrong': 'skipped',
    'double-counting': 'ok',
  })
  expect(found.get('hand-computed')!.figure).toBeLessThan(1e-12)
  expect(found.get('observation-perturbation')).toMatchObject({
    figure: 0,
    data: { targets_before: 8, targets_after: 8 },
  })
})

test('the usual method has a critic where all of the file has', () => {
  expect(usualMethod(plain).method.name).toBe('gae-skip-observation')
  const bare = row('c', 1, { turns: [ask, { role: 'assistant', token_ids: [2] }] })
  expect(usualMethod([...plain, bare])).toMatchObject({ method: { name: 'monte-carlo' }, given: { baseline: 'grpo' } })
  const cut = row('c', 1, { terminated: false, truncated: true })
  expect(usualMethod([...plain, cut]).method.name).toBe('monte-carlo')
})

test('endings: a failed environment with a grade, a cut without a value, an end that is neither', () => {
  expect(one('endings', [...plain, row('f', 0, { end: 'environment_failure' })])).toMatchObject({
    status: 'failed',
    figure: 1,
    data: { environment_failures: 1, terminated: 2 },
  })
  expect(one('endings', [...plain, row('f', null, { end: 'environment_failure' })]).status).toBe('ok')
  const cut = row('c', 1, { terminated: false, truncated: true })
  expect(one('endings', [...plain, cut])).toMatchObject({ status: 'warning', figure: 1, data: { truncated: 1 } })
  expect(one('endings', [...plain, { ...cut, bootstrap_value: 0 }])).toMatchObject({ status: 'ok', figure: 0 })
  expect(one('endings', [...plain, row('n', 1, { terminated: false })]).detail).toContain('ended neither way')
  const invalid = row('i', 0, { turns: [ask, said(1, { event: 'invalid' }), seen(), said(1)] })
  expect(one('endings', [invalid]).data).toMatchObject({ invalid_turns: 1 })
})

test('observation-perturbation: a method that takes steps in observations is named', () => {
  const valued = plain.map((r) => ({ ...r, turns: [ask, said(2), seen({ values: [0.1, 0.9] }), said(2)] }))
  expect(one('observation-perturbation', valued, 'gae', { gamma: 0.9 })).toMatchObject({ status: 'warning', figure: 0 })
  expect(one('observation-perturbation', valued, 'gae-skip-observation').status).toBe('ok')
  const trained = plain.map((r) => ({ ...r, turns: [ask, said(2), seen({ logprobs: [-1, -1] }), said(2)] }))
  expect(one('observation-perturbation', trained)).toMatchObject({ status: 'warning' })
  expect(one('observation-perturbation', trained).detail).toContain('observations carry logprobs')
  const single = plain.map((r) => ({ ...r, turns: [ask, said(2)] }))
  expect(one('observation-perturbation', single).status).toBe('skipped')
})

test('advantage-scales: no signal; token and episode means of opposite sign', () => {
  expect(one('advantage-scales', [row('a', 1), row('b', 1)], 'monte-carlo', { baseline: 'grpo' })).toMatchObject({
    status: 'warning',
    figure: 0,
  })
  const long = row('b', 0, { turns: [ask, said(30)] })
  const tilted = one('advantage-scales', [row('a', 1.2), long], 'monte-carlo', { baseline: 'grpo-mean' })
  expect(tilted.status).toBe('ok')
  const off = [row('a', 2.2), { ...long, reward: -1 }]
  expect(one('advantage-scales', off, 'monte-carlo', { baseline: 'none' })).toMatchObject({ status: 'warning' })
})

test('horizon-decay: the product of what every step keeps', () => {
  const long = [row('a', 1, { turns: [ask, said(101)] })]
  const decay = one('horizon-decay', long, 'gae', { gamma: 1, lambda: 0.9 })
  expect(decay.status).toBe('warning')
  expect(decay.figure).toBeCloseTo(0.9 ** 100, 12)
  expect(one('horizon-decay', long, 'gae', { lambda: 1 })).toMatchObject({ status: 'ok', figure: 1 })
  expect(one('horizon-decay', long, 'monte-carlo')).toMatchObject({ status: 'ok', figure: 1 })
  expect(one('horizon-decay', long, 'td')).toMatchObject({ status: 'warning', figure: 0 })
  expect(one('horizon-decay', plain, 'gae-turn', { gamma: 0.5, lambda: 0.5 }).figure).toBeCloseTo(0.25, 12)
  const gated = [row('a', 1, { turns: [ask, said(3, { retention: [0.5, 0.4, 0.1] })] })]
  expect(one('horizon-decay', gated, 'comp-gae', { lambda: 0.5 }).figure).toBeCloseTo(0.5 * 0.4 * 0.25, 12)
})

test('process-reward-off: agreement of signs, and whether the shaping is a potential’s', () => {
  const shaped = (first: number, last: number) => [
    row('a', 1, {
      turns: [ask, said(1, { reward: first, potential: 0.25 }), seen(), said(1, { reward: last, potential: 0.75 })],
    }),
  ]
  const potential = one('process-reward-off', shaped(0.5, 0.25), 'reward-to-go')
  expect(potential).toMatchObject({ status: 'ok', figure: 1, data: { shaping_distance: 0 } })
  expect(potential.detail).toContain('the optimum stays')
  const bonus = one('process-reward-off', shaped(0.9, 0.25), 'reward-to-go')
  expect(bonus).toMatchObject({ status: 'warning', data: { shaping_distance: expect.closeTo(0.4, 12) } })
  const against = [row('a', 1, { turns: [ask, said(1, { reward: -3 }), seen(), said(1, { reward: 1 })] })]
  expect(one('process-reward-off', against, 'reward-to-go')).toMatchObject({
    status: 'warning',
    figure: 0.5,
    data: { opposite_signs: 1, shaping_distance: null },
  })
  expect(one('process-reward-off', against, 'monte-carlo').data).toMatchObject({ method: 'reward-to-go' })
})

test('confident-wrong: four quadrants, the wrong ones by name, surest first', () => {
  const judged = (id: string, success: boolean, verifier_confidence: number) =>
    row(id, success ? 1 : 0, { success, verifier_confidence })
  const rows = [judged('a', true, 0.9), judged('b', false, 0.6), judged('c', false, 0.95), judged('d', true, 0.2)]
  expect(one('confident-wrong', [...rows, row('e', null, { verifier_confidence: 1 })])).toMatchObject({
    status: 'warning',
    figure: 2,
    data: {
      confident_right: 1,
      confident_wrong: 2,
      doubtful_right: 1,
      doubtful_wrong: 0,
      confident_and_wrong: [{ id: 'c' }, { id: 'b' }],
    },
  })
  const byOutcome = [row('a', 1, { verifier_confidence: 0.9 }), row('b', 0, { verifier_confidence: 0.1 })]
  expect(one('confident-wrong', byOutcome)).toMatchObject({ status: 'ok', figure: 0 })
  expect(one('confident-wrong', [...byOutcome, row('c', 0.5)]).status).toBe('skipped')
})

test('double-counting: segments, split rows, and turns paid twice', () => {
  const segments = (first: number) =>
    row('a', 1, {
      turns: [ask, said(1, { segment: 0, reward: first }), seen(), said(1, { segment: 1, reward: 1 })],
    })
  expect(one('double-counting', [segments(1)])).toMatchObject({ status: 'failed', figure: 1 })
  expect(one('double-counting', [segments(0)])).toMatchObject({ status: 'ok', data: { rollouts_with_segments: 1 } })
  const parts = ['a', 'b', 'c'].map((id) => row(id, 1, { episode: 'long' }))
  expect(one('double-counting', parts)).toMatchObject({ status: 'failed', figure: 2 })
  expect(one('double-counting', [parts[0]!, { ...parts[1]!, reward: null }]).status).toBe('ok')
  const twice = row('a', 1, { turns: [ask, said(2, { rewards: [0.25, 0.5], reward: 0.75 })] })
  expect(one('double-counting', [twice])).toMatchObject({ status: 'failed', figure: 1 })
})
