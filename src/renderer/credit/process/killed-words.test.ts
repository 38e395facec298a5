import { describe, expect, it } from 'vitest'
import type { ProcessRewardGroup } from '../../../shared/credit-estimates.ts'
import { killedWords } from './killed-words.ts'

describe('killed groups', () => {
  const group = (killed: boolean, reason: string | null) => ({ killed, reason }) as ProcessRewardGroup
  const lone = 'only one rollout is graded: every prefix is its own'

  it('are counted by cause, and a cause that all have is said once', () => {
    expect(killedWords([group(true, lone), group(true, lone)])).toBe(`2 of 2 groups are killed: ${lone}.`)
    expect(
      killedWords([group(true, lone), group(true, 'no rollout is graded'), group(true, lone), group(false, null)]),
    ).toBe(`3 of 4 groups are killed: in 2 ${lone}; in 1 no rollout is graded.`)
    expect(killedWords([group(true, lone)])).toBe(`1 of 1 group is killed: ${lone}.`)
  })
})
