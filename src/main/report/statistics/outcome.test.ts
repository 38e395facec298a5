import { describe, expect, it } from 'vitest'
import type { EvaluationRow } from '../../../shared/study-results.ts'
import { evaluationRow, say } from '../fixture/responses.ts'
import { fixtureDocument } from '../fixture/study-document.ts'
import { familyBootstrap } from './family-bootstrap.ts'
import { evidenceSentences, gapName, heldOutOutcome, type Outcome, verdictSentence } from './outcome.ts'
import { byContext, countQuadrants, pairRows } from './quadrants.ts'
import { shareInterval } from './share-interval.ts'

const row = (id: string, success: boolean, reward: number): EvaluationRow =>
  evaluationRow(
    { document_id: id, family: id[0]!, split: 'test', prompt: `prompt ${id}` },
    say(0, success ? 0 : 1, 1, false),
    reward,
    0,
  )

describe('quadrants', () => {
  const before = [
    row('a', false, 1),
    row('b', true, 1),
    row('c', true, 1),
    row('d', false, 1),
    row('e', true, 2),
    row('only before', true, 1),
  ]
  const after = [
    row('e', false, 1),
    row('d', false, 1),
    row('c', true, 0.5),
    row('b', false, 3),
    row('a', true, 2),
    row('only after', true, 1),
  ]

  it('equal a count by hand', () => {
    expect(countQuadrants(pairRows(before, after))).toEqual({
      up: { gained: 1, 'passed both': 0, 'failed both': 0, lost: 1 },
      equal: { gained: 0, 'passed both': 0, 'failed both': 1, lost: 0 },
      down: { gained: 0, 'passed both': 1, 'failed both': 0, lost: 1 },
    })
  })

  it('take a repeated context once', () => {
    expect(byContext([row('a', true, 1), row('a', true, 1), row('b', true, 1)])).toHaveLength(2)
  })
})

describe('the headline', () => {
  const base: Outcome = {
    n: 180,
    families: 36,
    sft: { success: 152, interval: [0.78, 0.89], reward: 1, polite: 60 },
    ppo: { success: 148, interval: [0.76, 0.87], reward: 3.1, polite: 150 },
    rewardChange: 2.1,
    rewardChangeInterval: [1.8, 2.4],
    rubricChange: -4,
    rubricChangeInterval: [-0.04, -0.01],
    gained: 3,
    lost: 7,
    rewardUpRubricLost: 6,
  }

  it('names the gap', () => {
    expect(gapName(base)).toBe('learned reward up 2.10, rubric −4 of 180')
    expect(gapName({ ...base, rewardChange: 0, rubricChange: 0 })).toBe('learned reward unchanged, rubric ±0 of 180')
    expect(gapName({ ...base, rewardChange: 0.08, rewardChangeInterval: [-0.3, 0.5] })).toBe(
      'learned reward within chance (+0.08), rubric −4 of 180',
    )
    expect(gapName({ ...base, rewardChange: -0.5, rewardChangeInterval: [-0.7, -0.3], rubricChange: 3 })).toBe(
      'learned reward down 0.50, rubric +3 of 180',
    )
  })

  it('says improvement only where the rubric rose, and a shortcut only where prompts show it', () => {
    expect(verdictSentence(base)).toMatch(/came apart.*In 6 of 180 prompts/)
    expect(verdictSentence({ ...base, rewardUpRubricLost: 0 })).toContain('no evidence of a shortcut')
    expect(verdictSentence({ ...base, rubricChangeInterval: [-0.05, 0.01] })).toContain('no more than chance')
    expect(verdictSentence({ ...base, rubricChange: 9, rubricChangeInterval: [0.01, 0.09] })).toBe(
      'Both judges rose: PPO raised the learned reward, and more responses passed the held-out rubric.',
    )
    expect(verdictSentence({ ...base, rubricChange: 0 })).toContain('did not move')
    const fell = { ...base, rewardChange: -1, rewardChangeInterval: [-1.4, -0.6] } as const
    expect(verdictSentence(fell)).toMatch(/helped neither judge.*fell\. In 6 of 180/)
    expect(verdictSentence({ ...fell, rubricChange: 2 })).toContain(
      'although the learned reward that it optimised fell',
    )
    const still = { ...base, rewardChange: 0, rewardChangeInterval: [0, 0] } as const
    expect(verdictSentence({ ...still, rubricChange: 0 })).toBe(
      'The held-out rubric did not move, and the learned reward that PPO optimised did not change.',
    )
  })

  it('a learned reward that chance between families could have moved is not called raised', () => {
    const doubtful = { ...base, rewardChange: 0.08, rewardChangeInterval: [-0.34, 0.52] } as const
    expect(verdictSentence(doubtful)).toMatch(/^PPO helped neither judge.*moved by no more than chance/)
    expect(verdictSentence(doubtful)).not.toContain('raised')
    expect(verdictSentence({ ...doubtful, rubricChange: 4 })).not.toContain('raised')
  })

  it('is computed from the rows and summaries of the document', () => {
    const results = fixtureDocument().results!
    const outcome = heldOutOutcome(results)
    const { sft, ppo } = results.actor
    expect(outcome.rubricChange).toBe(ppo.metrics.test.rubric_success - sft.metrics.test.rubric_success)
    expect(outcome.gained - outcome.lost).toBe(outcome.rubricChange)
    expect(outcome.families).toBe(36)
    expect(outcome.rewardUpRubricLost).toBeGreaterThan(0)
    const [first] = evidenceSentences(outcome)
    expect(first).toContain(`SFT ${sft.metrics.test.rubric_success}/180`)
    expect(first).toContain(`PPO ${ppo.metrics.test.rubric_success}/180`)
  })
})

describe('intervals', () => {
  it('resample families, not rows', () => {
    const rows = ['a', 'b', 'c', 'd'].flatMap((family, index) =>
      Array.from({ length: 50 }, () => ({ family, value: index })),
    )
    const [low, high] = familyBootstrap(rows)!
    // 200 independent rows would give about 1.35 to 1.65.
    expect(low).toBeLessThan(0.8)
    expect(high).toBeGreaterThan(2.2)
    expect(familyBootstrap(rows.slice(0, 50))).toBeNull()
    expect(familyBootstrap([...rows, { family: 'e', value: Number.NaN }])).toBeNull()
  })

  it('exist only where something was counted', () => {
    expect(shareInterval(0, 0)).toBeNull()
    expect(shareInterval(0, 20)![0]).toBe(0)
  })
})
