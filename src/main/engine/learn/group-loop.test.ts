/** The loop of group learning with sources and methods of the tests' own, and methods that must coincide. */
import { expect, test } from 'vitest'
import type { EncodedRow } from '../../../shared/rows.ts'
import { runFiles } from '../../../shared/stage.ts'
import { groupAdvantages } from '../credit/group-advantages.ts'
import { perToken } from '../nn/batch.ts'
import { criticObjective } from '../nn/objectives.ts'
import { accumulateGradient } from './accumulate-gradient.ts'
import type { AdvantageStrategy } from './advantage-strategy.ts'
import { config, drawnRole, openGolden, quiet, scratchRuns } from './group-fixtures.ts'
import { learnFromGroups } from './group-loop.ts'
import { Learner } from './learner.ts'
import { RewardJudge } from './reward-judge.ts'
import { freshRole, roleFromPeft } from './role.ts'
import type { RolloutSource } from './rollout-source.ts'
import { singleTurnSource } from './single-turn-source.ts'
import { PhaseClock } from './stage-run.ts'
import { comppoCredit } from './strategies/comppo-credit.ts'
import { datcCredit } from './strategies/datc-credit.ts'
import { sharedCredit } from './strategies/shared-credit.ts'

const { file, bytes, runDir, journal } = scratchRuns()
const context = await openGolden()

const prompts: readonly EncodedRow[] = [
  { id: 'a', promptIds: [5, 17, 80, 33, 7], completionIds: [] },
  { id: 'b', promptIds: [90, 12, 44], completionIds: [] },
]

async function learnWith(
  dir: string,
  choose: (
    judge: RewardJudge,
    source: RolloutSource<EncodedRow>,
  ) => Partial<Parameters<typeof learnFromGroups<EncodedRow>>[0]>,
) {
  const clock = new PhaseClock()
  const [policy, reward] = [drawnRole(context, 'none'), drawnRole(context, 'score')]
  const judge = new RewardJudge(context, reward, { gradients: true, clock })
  const source = singleTurnSource(judge, prompts, config, clock)
  const outcome = await learnFromGroups({
    stage: 'grpo',
    runDir: runDir(dir),
    config,
    shuffle: true,
    context,
    run: quiet(),
    clock,
    source,
    strategy: sharedCredit('grpo'),
    policy,
    frozen: { reward },
    identity: {},
    ...choose(judge, source),
  })
  return { outcome, policy }
}

test('DATC with weights of 1 is GRPO bit for bit', async () => {
  const plain = await learnWith('plain', () => ({}))
  // A tokenizer that takes every token for formatting leaves every weight at 1.
  const specialIds = new Set(Array.from({ length: context.base.config.vocabSize }, (_, id) => id))
  const everyTokenFormats = { ...context, tokenizer: { ...context.tokenizer, specialIds } }
  const weighted = await learnWith('weighted', (judge) => {
    const clock = new PhaseClock()
    const formatting = new RewardJudge(everyTokenFormats, judge.role, { gradients: true, clock })
    return { strategy: datcCredit(formatting, config, clock) }
  })
  expect(weighted.outcome.learnedSha256.policy).toBe(plain.outcome.learnedSha256.policy)
  const weights = journal('weighted').flatMap(({ rollouts }) =>
    rollouts.flatMap(({ trajectory }) => trajectory.turns[1]!.weights!),
  )
  expect(new Set(weights)).toEqual(new Set([1]))
  // And with weights it is not.
  const full = await learnWith('full', (judge) => ({ strategy: datcCredit(judge, config, new PhaseClock()) }))
  expect(full.outcome.learnedSha256.policy).not.toBe(plain.outcome.learnedSha256.policy)
})

test('a rollout without a reward is recorded, and neither compared nor learned from', async () => {
  const failing = (source: RolloutSource<EncodedRow>): RolloutSource<EncodedRow> => ({
    ...source,
    collect: async (...asked) =>
      (await source.collect(...asked)).map((rollout, i) => (i % 4 === 1 ? { ...rollout, reward: null } : rollout)),
  })
  await learnWith('failing', (_, source) => ({ source: failing(source) }))
  for (const { rollouts, updates } of journal('failing')) {
    const graded = rollouts.filter(({ trajectory }) => trajectory.reward !== null)
    expect(graded.length).toBe(6)
    for (const { trajectory, advantage } of rollouts)
      if (trajectory.reward === null) {
        expect(advantage).toBeNull()
        expect(trajectory.turns[1]!.advantages).toBeUndefined()
      }
    expect(graded.map(({ advantage }) => advantage)).toEqual(groupAdvantages(graded.map((r) => r.trajectory)))
    expect(updates.map(({ equal_response_denominator }) => equal_response_denominator)).toEqual([6, 6])
  }
  await expect(
    learnWith('all-failing', (_, source) => ({
      source: {
        ...source,
        collect: async (...asked) => (await source.collect(...asked)).map((rollout) => ({ ...rollout, reward: null })),
      },
    })),
  ).rejects.toThrow(/iteration 1: no rollout has a reward/)
})

test('observations of several turns are read and not learned', async () => {
  const observing = (observation: number): ((source: RolloutSource<EncodedRow>) => RolloutSource<EncodedRow>) => {
    return (source) => ({
      ...source,
      longest: { ...source.longest, completion: 2 * source.longest.completion + 2 },
      collect: async (policy, tasks, size, uniform) => {
        const first = await source.collect(policy, tasks, size, uniform)
        return first.map((rollout) => ({
          ...rollout,
          turns: [
            ...rollout.turns,
            { role: 'tool' as const, token_ids: [observation, 91] },
            { role: 'assistant' as const, token_ids: [44, 45], logprobs: [-3, -4] },
          ],
        }))
      },
    })
  }
  const one = { ...config, rollout_iterations: 1 }
  const a = await learnWith('turns-a', (_, source) => ({ config: one, source: observing(90)(source) }))
  const b = await learnWith('turns-b', (_, source) => ({ config: one, source: observing(60)(source) }))
  expect(a.outcome.learnedSha256.policy).not.toBe(b.outcome.learnedSha256.policy)
  const [line] = journal('turns-a')
  for (const { trajectory } of line!.rollouts) {
    expect(trajectory.turns[2]).toEqual({ role: 'tool', token_ids: [90, 91] })
    expect(trajectory.turns[3]!.advantages!.length).toBe(2)
  }
  for (const { current_token_logprobs } of line!.updates[0]!.observations)
    expect(current_token_logprobs.length).toBeLessThanOrEqual(config.max_new_tokens + 2)
})

test.each(['attention', 'shuffled', 'position', 'constant'] as const)(
  'Comp-GAE with gates by %s learns policy and linear critic, and resumes exactly',
  async (gate) => {
    const settings = {
      gate,
      gate_min: 0.8,
      gate_max: 1,
      gae_lambda: 0.95,
      critic_learning_rate: 1e-2,
      value_loss_coef: 0.5,
      seed: 49,
    }
    const strategy = () => ({ strategy: comppoCredit(context, settings, new PhaseClock()) })
    const whole = await learnWith(`comppo-${gate}`, strategy)
    await learnWith(`comppo-${gate}-cut`, () => ({ ...strategy(), stopAfter: 1 }))
    await learnWith(`comppo-${gate}-cut`, strategy)
    for (const name of [runFiles.state, runFiles.journal])
      expect(bytes(`comppo-${gate}-cut`, name).equals(bytes(`comppo-${gate}`, name)), name).toBe(true)
    expect(whole.outcome.learnedSha256.critic).not.toBe(whole.outcome.initialSha256.critic)
    const gates = journal(`comppo-${gate}`).flatMap(({ rollouts }) =>
      rollouts.flatMap(({ trajectory }) => trajectory.turns[1]!.retention!),
    )
    expect(gates.every((value) => value >= 0.8 && value <= 1)).toBe(true)
    expect(new Set(gates).size === 1).toBe(gate === 'constant')
    expect(roleFromPeft(file(`comppo-${gate}/${runFiles.critic}`), context.base, 'v_head').rank).toBe(4)
  },
)

test('a critic learns beside the policy, and a resumed run continues both', async () => {
  const withCritic = () => {
    const role = freshRole(context.base, { rank: 4, alpha: 8, head: 'v_head', seed: 5 })
    const learner = new Learner(role)
    const shared = sharedCredit('grpo')
    const strategy: AdvantageStrategy = {
      ...shared,
      name: 'with-critic',
      credit: async (rollouts, ...rest) =>
        (await shared.credit(rollouts, ...rest)).map((credit, i) => ({
          ...credit,
          returns: rollouts[i]!.row.places.map(() => rollouts[i]!.trajectory.reward),
        })),
      critic: {
        learner,
        learningRate: 1e-2,
        gradient: async (rollouts, credits, shape) => {
          const items = rollouts.map(({ row }, i) => ({ row, returns: credits[i]!.returns! }))
          const read = await accumulateGradient(
            learner,
            items,
            ({ row }) => row,
            shape,
            async (batch, part, weights) => {
              const extra = {
                returns: perToken(
                  part.map(({ returns }) => returns),
                  shape,
                ),
                weights,
              }
              const { state, layout } = role
              const result = await context.model.evaluate(
                'critic',
                criticObjective(0.5),
                layout,
                state,
                batch,
                extra,
                learner.part,
              )
              return { loss: result.loss![0]!, perToken: part.map(() => []) }
            },
          )
          return read.loss
        },
      },
    }
    return strategy
  }
  const whole = await learnWith('critic-whole', () => ({ strategy: withCritic() }))
  await learnWith('critic-cut', () => ({ strategy: withCritic(), stopAfter: 2 }))
  const continued = await learnWith('critic-cut', () => ({ strategy: withCritic() }))
  expect(continued.outcome.learnedSha256).toEqual(whole.outcome.learnedSha256)
  expect(whole.outcome.learnedSha256.critic).not.toBe(whole.outcome.initialSha256.critic)
  for (const name of [runFiles.state, runFiles.journal])
    expect(bytes('critic-cut', name).equals(bytes('critic-whole', name)), name).toBe(true)
  const losses = journal('critic-whole').flatMap(({ updates }) => updates.map(({ critic }) => critic!.loss))
  expect(losses.at(-1)!).toBeLessThan(losses[0]!)
  // The critic is saved beside the policy, with its head.
  expect(roleFromPeft(file(`critic-whole/${runFiles.critic}`), context.base, 'v_head').head).toBe('v_head')
})
