/** Concentration by hand: two rollouts of several turns, one of one turn, one without credit. */
import { describe, expect, it } from 'vitest'
import type { Trajectory } from '../../../shared/trajectory.ts'
import { effectiveNumber, turnConcentration } from './turn-concentration.ts'

const rollout = (id: string, events: readonly string[]): Trajectory => ({
  id,
  group: 'g',
  reward: 1,
  terminated: true,
  truncated: false,
  turns: [
    { role: 'user', text: '' },
    ...events.flatMap((event) => [
      { role: 'assistant' as const, event },
      { role: 'tool' as const, text: '' },
    ]),
  ],
})
const trajectories = [
  rollout('a', ['check', 'answer']),
  rollout('b', ['check', 'check', 'answer']),
  rollout('c', ['answer']),
  rollout('d', ['check', 'answer']),
]
const part = (name: string, positions: number, norm_share: number, projected_share: number) => ({
  name,
  positions,
  norm_share,
  projected_share,
})
const byTurn = [
  part('a/turn 1', 2, 0.3, 0.1),
  part('a/turn 3', 6, 0.1, 0.2),
  part('b/turn 1', 4, 0.25, 0.5),
  part('b/turn 3', 4, 0.25, -0.1),
  part('b/turn 5', 8, 0.5, 0.25),
  part('c/turn 1', 5, 0.2, 0.05),
  part('d/turn 1', 4, 0, 0),
  part('d/turn 3', 4, 0, 0),
]
const byRollout = [part('a', 8, 0.2, 0.3), part('b', 16, 1, 0.65), part('c', 5, 0.2, 0.05), part('d', 8, 0, 0)]

describe('the concentration of credit on turns', () => {
  const read = turnConcentration(trajectories, byTurn, byRollout)
  it('counts who takes part', () => {
    expect(read).toMatchObject({ rollouts: 4, without_credit: 1, single_turn: 1, several_turns: 2, mean_turns: 2.5 })
  })
  it('is that of a rollout’s norms, beside that of its tokens', () => {
    expect(read.top_turn_share).toBeCloseTo((0.75 + 0.5) / 2, 12)
    expect(read.top_token_share).toBeCloseTo((0.75 + 0.5) / 2, 12)
    expect(read.effective_turns).toBeCloseTo((1 / (0.75 ** 2 + 0.25 ** 2) + 1 / (0.25 ** 2 * 2 + 0.5 ** 2)) / 2, 12)
    expect(read.cancellation_within).toBeCloseTo((0.4 / 0.2 + 1) / 2, 12)
  })
  it('is told by place, for the last turn, and by what the turn was', () => {
    expect(read.by_place.map(({ name, turns }) => [name, turns])).toEqual([
      ['1', 2],
      ['2', 2],
      ['3', 1],
    ])
    expect(read.by_place[0]!.mean_weight).toBeCloseTo((0.75 + 0.25) / 2, 12)
    expect(read.by_place[0]!.mean_token_share).toBeCloseTo(0.25, 12)
    expect(read.last.projected_share).toBeCloseTo(0.2 + 0.25, 12)
    const checks = read.by_event.find(({ name }) => name === 'check')!
    expect(checks.turns).toBe(3)
    expect(checks.projected_share).toBeCloseTo(0.1 + 0.5 - 0.1, 12)
    expect(checks.norm_per_token).toBeCloseTo((0.3 + 0.25 + 0.25) / 10, 12)
  })
  it('of equal turns is their number', () => {
    expect(effectiveNumber([0.25, 0.25, 0.25, 0.25])).toBeCloseTo(4, 12)
    expect(effectiveNumber([1, 0])).toBe(1)
  })
  it('needs both audits', () => {
    expect(() => turnConcentration(trajectories, [], byRollout)).toThrow('no turn of a')
    expect(() => turnConcentration([], byTurn, byRollout)).toThrow('no rollout is named a')
  })
  it('has no means where no rollout has several turns', () => {
    const only = turnConcentration(trajectories, byTurn, [byRollout[2]!])
    expect([only.several_turns, only.top_turn_share, only.last.mean_weight]).toEqual([0, null, null])
  })
})
