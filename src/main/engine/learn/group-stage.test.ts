/** Group stages whole: exact resume, and what the journal holds. */
import { writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { type GroupStage, outcomeStages } from '../../../shared/group-run.ts'
import { type GroupJob, runFiles } from '../../../shared/stage.ts'
import { generateCorpus } from '../study/corpus.ts'
import { base, config, drawnRole, openGolden, quiet, scratchRuns } from './group-fixtures.ts'
import { runGroup } from './group-stage.ts'
import { saveRole } from './role.ts'

const { file, bytes, runDir, journal } = scratchRuns()

beforeAll(async () => {
  const rows = generateCorpus().rollouts.slice(0, 5)
  writeFileSync(
    file('prompts.jsonl'),
    rows.map((row) => `${JSON.stringify({ id: row.document_id, prompt: row.prompt })}\n`).join(''),
  )
  const context = await openGolden()
  saveRole(file('policy'), drawnRole(context, 'none'))
  saveRole(file('reward'), drawnRole(context, 'score'))
})

const job = (stage: GroupStage, dir: string, extra: Partial<GroupJob> = {}): GroupJob => ({
  stage,
  runId: 'test',
  base,
  device: 'cpu',
  threads: 1,
  runDir: runDir(dir),
  train: file('prompts.jsonl'),
  initAdapter: file('policy'),
  rewardAdapter: file('reward'),
  shuffle: true,
  config,
  ...extra,
})

describe.each(outcomeStages)('%s', (stage) => {
  test('interrupted after an iteration and continued: the same bytes as in one go', async () => {
    const whole = await runGroup(job(stage, `${stage}-whole`), quiet())
    expect(whole.status).toBe('finished')
    expect(whole.updates).toBe(6)
    const cut = await runGroup(job(stage, `${stage}-cut`, { stopAfter: 1 }), quiet())
    expect(cut).toMatchObject({ status: 'interrupted', updates: 2, total: 6 })
    const continued = await runGroup(job(stage, `${stage}-cut`), quiet())
    expect(continued.learnedSha256).toEqual(whole.learnedSha256)
    for (const name of [runFiles.state, runFiles.journal])
      expect(bytes(`${stage}-cut`, name).equals(bytes(`${stage}-whole`, name)), name).toBe(true)
    expect(whole.learnedSha256.policy).not.toBe(whole.initialSha256.policy)
    expect(whole.learnedSha256.reward).toBe(whole.initialSha256.reward)
    expect(whole.learnedSha256.reference).toBe(whole.initialSha256.policy)
  })

  test('the journal holds every rollout of the groups with its credit, and no duration', () => {
    const lines = journal(`${stage}-whole`)
    expect(lines.map(({ iteration }) => iteration)).toEqual([1, 2, 3])
    for (const { rollouts, updates } of lines) {
      expect(rollouts.length).toBe(8)
      expect(new Set(rollouts.map(({ trajectory }) => trajectory.group)).size).toBe(2)
      for (const { trajectory, advantage } of rollouts) {
        const turn = trajectory.turns[1]!
        for (const list of [turn.logprobs, turn.ref_logprobs, turn.advantages])
          expect(list!.length).toBe(turn.token_ids!.length)
        expect(Number.isFinite(advantage)).toBe(true)
        if (stage === 'grpo' || stage === 'rloo') expect(new Set(turn.advantages).size).toBe(1)
      }
      expect(updates.length).toBe(2)
      // Before the first update both passes are of one state: what differs is rounding.
      for (const { old_logprob_max_difference } of updates[0]!.observations)
        expect(old_logprob_max_difference).toBeLessThan(1e-4)
      expect(updates[0]!.clip_fraction).toBe(0)
      expect(updates[0]!.observations.length).toBe(8)
    }
    expect(JSON.stringify(lines)).not.toMatch(/seconds/)
  })
})

test('changed settings do not continue a run', async () => {
  const changed = job('grpo', 'grpo-cut', { config: { ...config, kl_coefficient: 0.1 } })
  await expect(runGroup(changed, quiet())).rejects.toThrow(/config was/)
})

test('DATC keeps mean and sign of the advantage over content tokens', () => {
  for (const { rollouts } of journal('datc-whole'))
    for (const { trajectory, advantage, facts } of rollouts) {
      const turn = trajectory.turns[1]!
      expect(turn.weights!.reduce((sum, w) => sum + w, 0) / turn.weights!.length).toBeCloseTo(1, 10)
      turn.advantages!.forEach((value, t) => {
        expect(value).toBe(advantage! * turn.weights![t]!)
      })
      expect(facts!.predicted_gain).toBeGreaterThanOrEqual(facts!.predicted_gain_uniform! - 1e-12)
    }
})
