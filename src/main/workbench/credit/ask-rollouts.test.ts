import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BadInput } from '../../../shared/bad-input.ts'
import { openWorkbench, type Workbench } from '../workbench.ts'
import { compareMethods, diagnoseRollouts, inducedReward } from './ask-rollouts.ts'
import { recordedRunId, recordRun, rollout } from './recorded-run.ts'

let home: string
let bench: Workbench
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'credit-'))
  bench = openWorkbench({ home })
  recordRun(bench, [
    [
      rollout({ rollout_id: 'a', prompt_id: 'p', reward_parts: { judge: 1, kl: 0, truncation: 0 } }),
      rollout({
        rollout_id: 'b',
        prompt_id: 'p',
        response_ids: [5, 7],
        reward_parts: { judge: 0, kl: 0, truncation: 0 },
      }),
      rollout({ rollout_id: 'c', prompt_id: 'q' }),
    ],
  ])
})
afterEach(() => {
  bench.close()
  rmSync(home, { recursive: true, force: true })
})
const source = { kind: 'run', run_id: recordedRunId } as const

describe('methods side by side', () => {
  it('compares those that the rollouts feed, and of the others says which field is missing and what gives it', async () => {
    const methods = ['gae', 'monte-carlo:rloo', 'factor', 'gigpo']
    const { comparison, refused } = await compareMethods(bench, { source, methods, settings: {} })
    expect(comparison?.methods.map(({ label }) => label)).toEqual(['gae', 'monte-carlo:rloo'])
    expect(comparison?.tokens).toBe(6)
    expect(refused).toEqual([
      {
        label: 'factor',
        problem: expect.stringMatching(/teacher_logprobs in turns\[1\] \(row a\)/),
        remedy: expect.stringMatching(/credit read --teacher/),
      },
      { label: 'gigpo', problem: expect.stringMatching(/state_key/), remedy: expect.stringMatching(/the desk does/) },
    ])
  })

  it('takes chosen rollouts alone, and settings by name', async () => {
    const asked = { source, ids: ['a', 'b'], methods: ['gae'] }
    const { comparison } = await compareMethods(bench, { ...asked, settings: { gamma: 0.5 } })
    expect(comparison?.tokens).toBe(4)
    expect(comparison?.methods[0]?.parameters).toMatchObject({ gamma: 0.5 })
  })

  it('answers with nothing but refusals where no method can be fed', async () => {
    const { comparison, refused } = await compareMethods(bench, { source, methods: ['red'], settings: {} })
    expect(comparison).toBe(null)
    expect(refused.map(({ label }) => label)).toEqual(['red'])
  })

  it.each([
    [{ methods: ['gea'], settings: {} }, /^methods: gea is no method; did you mean gae/],
    [{ methods: ['gae:grpo'], settings: {} }, /^methods: gae:grpo: gae takes no baseline$/],
    [{ methods: ['gae'], settings: { gama: 1 } }, /gama: is no setting/],
    [{ methods: ['gae'], settings: { gamma: 2 } }, /^gamma: 2 is not allowed; must lie in 0 to 1$/],
    [{ methods: ['gae'], settings: { gamma: '' } }, /^gamma: an empty value is not allowed; must be a number$/],
    [{ methods: ['gae'], settings: { baseline: 'x' } }, /^baseline: x is not one of none, rloo, /],
    [{ methods: ['comp-gae'], settings: { gate_max: 0.5 } }, /^gate_max: 0.5 lies below the default gate_min 0.8$/],
    [{ methods: ['comp-gae'], settings: { gate_min: 0.9, gate_max: 0.5 } }, /^gate_max: 0.5 lies below gate_min 0.9$/],
  ])('refuses %j as the mistake it is, and not as a fact about the rollouts', async (asked, words) => {
    const fault = await compareMethods(bench, { source, ...asked }).catch((error: unknown) => error)
    expect(fault).toBeInstanceOf(BadInput)
    expect((fault as Error).message).toMatch(words)
  })
})

it('a group whose rollouts part inside is read, a lone rollout kills its group', async () => {
  const { groups, verdict } = await inducedReward(bench, { source })
  expect(verdict).toBe('partial')
  expect(groups.map(({ group, killed }) => [group, killed])).toEqual([
    ['iteration-1/p', false],
    ['iteration-1/q', true],
  ])
})

it('diagnoses with the default method and with a named one', async () => {
  const [plain, named] = await Promise.all([
    diagnoseRollouts(bench, { source }),
    diagnoseRollouts(bench, { source, method: 'gae' }),
  ])
  expect(plain.checks).toHaveLength(8)
  expect(named.method).toBe('gae')
  await expect(diagnoseRollouts(bench, { source, method: 'gea' })).rejects.toThrow(/did you mean gae/)
})
