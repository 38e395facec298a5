/** Our side of every measured figure: the product's own training, generation and reading, on random rows of fixed size. */
import type { EncodedPair, EncodedRow } from '../../../shared/rows.ts'
import { minimumPreset, type PpoConfig } from '../../../shared/training-config.ts'
import type { BaseModel } from '../checkpoint/base-model.ts'
import { tensorOf } from '../checkpoint/learned-state.ts'
import { generateRows } from '../learn/generate-rows.ts'
import { Learner } from '../learn/learner.ts'
import { pairTask } from '../learn/pair-tasks.ts'
import { collectRollouts } from '../learn/ppo-rollouts.ts'
import { PpoUpdater } from '../learn/ppo-update.ts'
import { rewardScores, tokenLogProbs } from '../learn/reading.ts'
import { copyRole, criticFrom, freshRole, type Role } from '../learn/role.ts'
import type { StageContext } from '../learn/stage-context.ts'
import { PhaseClock } from '../learn/stage-run.ts'
import { sftTask } from '../learn/supervised-tasks.ts'
import { generate } from '../nn/generate.ts'
import { TorchRandom } from '../random/torch-random.ts'
import { ALPHA, DECODE_PROMPT, PPO_PROMPTS, PPO_TOKENS, PROMPT, RANK, RESPONSE } from './presets.ts'

/** Deviation of B in the measured adapters: with a B of zero the low-rank branch would add nothing. */
const B_DEVIATION = 0.01
const stepSettings = { learningRate: 2e-5, weightDecay: 0.01, maxNorm: 1 }
/** Rows of one forward-only batch. */
export const READ_ROWS = 16
/** Held-out answers that are generated together. */
export const EVALUATION_ROWS = 20

/** A policy with a non-zero low-rank branch. */
export function benchPolicy(base: BaseModel, seed: number): Role {
  return withBranch(freshRole(base, { rank: RANK, alpha: ALPHA, head: 'none', seed }), seed)
}

/** A reward model with a non-zero low-rank branch and a drawn head. */
export function benchReward(base: BaseModel, seed: number): Role {
  return withBranch(freshRole(base, { rank: RANK, alpha: ALPHA, head: 'score', seed }), seed)
}

function withBranch(role: Role, seed: number): Role {
  const random = new TorchRandom(seed)
  for (const { name } of role.state.specs)
    if (name.endsWith('.lora_B')) random.normal(tensorOf(role.state, name), 0, B_DEVIATION)
  return role
}

/** Random ids, the same for the same seed. The two special ids of the byte tokenizer are ordinary tokens here. */
export function randomRows(
  count: number,
  prompt: number,
  response: number,
  vocabulary: number,
  seed: number,
): EncodedRow[] {
  const random = new TorchRandom(seed)
  const ids = (n: number) => Array.from({ length: n }, () => Math.floor(random.uniform01() * vocabulary))
  return Array.from({ length: count }, (_, i) => ({
    id: `row-${i}`,
    promptIds: ids(prompt),
    completionIds: ids(response),
  }))
}

export class Workload {
  readonly context: StageContext
  readonly seed: number
  readonly rowsOfStep: number

  constructor(context: StageContext, { seed, rows }: { seed: number; rows: number }) {
    this.context = context
    this.seed = seed
    this.rowsOfStep = rows
  }

  rows(count: number, prompt = PROMPT, response = RESPONSE, shift = 0): EncodedRow[] {
    return randomRows(count, prompt, response, this.context.base.config.vocabSize, this.seed + 1 + shift)
  }

  policy(): Role {
    return benchPolicy(this.context.base, this.seed)
  }

  reward(): Role {
    return benchReward(this.context.base, this.seed + 1)
  }

  /** One SFT step: forward, backward, clip, AdamW. Resolves to the loss before the step. */
  sftStep(learner = new Learner(this.policy())): () => Promise<number> {
    const rows = this.rows(this.rowsOfStep)
    const task = sftTask(this.context, rows, rows.length)
    return async () => {
      learner.clear()
      const { loss } = await task.accumulate(learner, rows)
      learner.step(stepSettings)
      return loss
    }
  }

  pairs(): EncodedPair[] {
    const [chosen, rejected] = [this.rows(this.rowsOfStep), this.rows(this.rowsOfStep, PROMPT, RESPONSE, 1)]
    return chosen.map((row, i) => ({
      id: row.id,
      chosen: row,
      rejected: { ...rejected[i]!, promptIds: row.promptIds },
    }))
  }

  /** One Bradley–Terry step over as many pairs as a step has rows. */
  rewardStep(): () => Promise<number> {
    const pairs = this.pairs()
    const task = pairTask(this.context, pairs, pairs.length)
    const learner = new Learner(this.reward())
    return async () => {
      learner.clear()
      const { loss } = await task.accumulate(learner, pairs)
      learner.step(stepSettings)
      return loss
    }
  }

  decodePrompts(count: number): EncodedRow[] {
    return this.rows(count, DECODE_PROMPT, 0)
  }

  /** Greedy decoding of `count` rows with a cache; nothing ends a row early. */
  decode(count: number, newTokens: number): () => Promise<number[][]> {
    const { model } = this.context
    const { layout, state } = this.policy()
    const prompts = this.decodePrompts(count).map((row) => row.promptIds)
    return async () => {
      const rows = await generate(model, layout, state, {
        prompts,
        maxNewTokens: newTokens,
        eosIds: [],
        choice: { kind: 'greedy' },
        batch: count,
        promptColumns: DECODE_PROMPT,
      })
      return rows.map((row) => [...row.tokenIds])
    }
  }

  ppoPrompts(): EncodedRow[] {
    return this.rows(PPO_PROMPTS, PROMPT, 0)
  }

  /** One PPO iteration of the study; resolves to its seconds by phase. */
  ppoIteration(): () => Promise<Readonly<Record<string, number>>> {
    const config: PpoConfig = { ...minimumPreset, max_new_tokens: PPO_TOKENS }
    const { context } = this
    const policy = this.policy()
    const roles = {
      actor: policy,
      reference: copyRole(policy),
      reward: this.reward(),
      critic: criticFrom(policy, context.base),
    }
    const [actor, critic] = [new Learner(roles.actor), new Learner(roles.critic)]
    const sampling = new TorchRandom(this.seed + 200)
    const prompts = this.ppoPrompts()
    const promptColumns = PROMPT
    return async () => {
      const clock = new PhaseClock()
      const uniform = () => sampling.uniform01()
      // No id is −1: every response has its full length, so that the work is fixed.
      const source = { context, config, roles, clock, promptColumns, eosId: -1, uniform }
      const rollouts = await collectRollouts(source, prompts, 1)
      const updater = new PpoUpdater({ context, config, actor, critic, clock, promptColumns })
      const rates = { actor: config.ppo_actor_lr, critic: config.ppo_critic_lr }
      for (let epoch = 1; epoch <= config.ppo_epochs_per_rollout; epoch++)
        await updater.update(rollouts, { update: epoch, epoch, rates })
      return clock.seconds
    }
  }

  /** Held-out answers as the study's evaluation makes them: greedy, then reference log-probabilities and scores. */
  evaluationRows(): () => Promise<unknown> {
    const [policy, reference, reward] = [this.policy(), this.policy(), this.reward()]
    const prompts = this.rows(EVALUATION_ROWS, PROMPT, 0)
    const settings = { maxNewTokens: PPO_TOKENS, eosIds: [], choice: { kind: 'greedy' } as const }
    return () =>
      generateRows(this.context, prompts, { policy, reference, reward, ...settings, clock: new PhaseClock() })
  }

  /** Token log-probabilities of supervised rows, all in one batch. */
  readRows(count = READ_ROWS): () => Promise<unknown> {
    const [policy, rows] = [this.policy(), this.rows(count)]
    const shape = { batch: count, prompt: PROMPT, response: RESPONSE }
    return () => tokenLogProbs(this.context.model, policy, rows, shape)
  }

  /** Scores of READ_ROWS supervised rows. */
  scoreRows(): () => Promise<unknown> {
    const [reward, rows] = [this.reward(), this.rows(READ_ROWS)]
    const shape = { batch: READ_ROWS, prompt: PROMPT, response: RESPONSE }
    return () => rewardScores(this.context.model, reward, rows, shape)
  }
}
