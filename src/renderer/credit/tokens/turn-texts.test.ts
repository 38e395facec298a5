import { describe, expect, it } from 'vitest'
import type { TrajectoryView } from '../../../shared/credit.ts'
import { tokenText } from '../methods/comparison.ts'
import { turnTexts } from './turn-texts.ts'

const asked: TrajectoryView = {
  trajectory: {
    id: 'a',
    group: 'g',
    reward: 1,
    terminated: true,
    truncated: false,
    turns: [
      { role: 'user', token_ids: [1] },
      { role: 'assistant', token_ids: [5, 6] },
    ],
  },
  token_texts: [['asked'], ['t5', 't6']],
}

describe('what turns say', () => {
  const turns = asked.trajectory.turns.map((turn, k) => ({ ...turn, text: k === 0 ? 'why?' : 'so it is' }))
  const told = { ...asked, trajectory: { ...asked.trajectory, turns } }

  it('stands where no token has a text of its own, and nowhere else', () => {
    expect(turnTexts(told)).toEqual([])
    const ids = { ...told, token_texts: [['#1'], ['#5', '#6']] }
    expect(turnTexts(ids)).toEqual([
      { turn: 0, role: 'user', text: 'why?' },
      { turn: 1, role: 'assistant', text: 'so it is' },
    ])
    expect(tokenText([ids])('a', 1, 0)).toBe('#5 in “so it is”')
    expect(turnTexts({ ...asked, token_texts: [['#1'], ['#5', '#6']] })).toEqual([])
  })
})
