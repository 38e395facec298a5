import { describe, expect, it } from 'vitest'
import type { AuditPart } from '../../../../shared/credit.ts'
import { turnConcentration } from './turn-concentration.ts'

const part = (name: string, norm_share: number, projected_share = norm_share): AuditPart => ({
  name,
  positions: 2,
  projected_share,
  norm_share,
})

describe('concentration over turns', () => {
  it('counts the turns that carry the credit, by rollout and by place', () => {
    const found = turnConcentration([
      part('a/turn 1', 0.3, 0.2),
      part('a/turn 3', 0.3, 0.1),
      part('b/turn 1', 0, 0),
      part('b/turn 3', 0.8, 0.7),
      part('b/turn 5', 0, 0),
    ])
    expect(found).toEqual({
      rollouts: 2,
      mean_turns: 2.5,
      // Two equal turns, and one of three alone.
      effective_turns: 1.5,
      largest_turn: 0.75,
      by_position: [
        { agent_turn: 1, rollouts: 2, norm_share: 0.25, projected_share: 0.2 },
        { agent_turn: 2, rollouts: 2, norm_share: 0.75, projected_share: expect.closeTo(0.8, 12) },
        { agent_turn: 3, rollouts: 1, norm_share: 0, projected_share: 0 },
      ],
    })
  })

  it('leaves rollouts of one agent turn out, and refuses where there is no other', () => {
    const some = turnConcentration([part('one/turn 1', 5), part('two/turn 1', 1), part('two/turn 3', 1)])
    expect(some).toMatchObject({ rollouts: 1, effective_turns: 2 })
    expect(turnConcentration([part('one/turn 1', 5), part('other/turn 1', 5)])).toEqual({
      refused: 'none of 2 rollouts has more than one agent turn, so credit has no turns to gather in',
      remedy: expect.stringContaining('the desk'),
    })
  })

  it('spreads evenly over turns that push nothing, and reads names that hold slashes', () => {
    expect(turnConcentration([part('DK/1/turn 1', 0), part('DK/1/turn 3', 0)])).toMatchObject({
      effective_turns: 2,
      largest_turn: 0.5,
    })
  })
})
