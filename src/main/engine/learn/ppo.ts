/**
 * PPO with four roles over one frozen base: actor, reference, reward model, critic. An iteration samples one response
 * per prompt, fixes behaviour log-probs, reference log-probs, values and rewards, then takes the epochs' actor and
 * critic updates on them. The iteration is the atomic unit: it is committed whole or not at all.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { BadInput } from '../../../shared/bad-input.ts'
import type { CreditAuditLine } from '../../../shared/credit-audit.ts'
import {
  type IterationLine,
  type PpoJob,
  type PpoUpdate,
  type Rollout,
  runFiles,
  type StageSummary,
} from '../../../shared/stage.ts'
import { encodePrompts } from '../../rows/encode.ts'
import { readRows } from '../../rows/read-rows.ts'
import { promptRowSchema } from '../../rows/row-schemas.ts'
import { learnedSha256 } from '../checkpoint/learned-state.ts'
import { learningRate } from '../optim/schedule.ts'
import { TorchRandom } from '../random/torch-random.ts'
import { peakRssBytes } from '../runtime/memory.ts'
import { recordAudit } from './credit-recorder.ts'
import { DrawOrder } from './draw-order.ts'
import { atUpdate, Learner, restore } from './learner.ts'
import { auditPpoUpdate } from './ppo-audit.ts'
import { reduction } from './ppo-math.ts'
import { collectRollouts, type PpoRoles } from './ppo-rollouts.ts'
import { PpoUpdater } from './ppo-update.ts'
import { copyRole, criticFrom, roleFromPeft, saveRole } from './role.ts'
import { RunRecord, type RunState, sha256 } from './run-record.ts'
import { beginStage, encoderFor, limitsOf, turnEndId } from './stage-context.ts'
import { PhaseClock, type StageRun, secondsSince } from './stage-run.ts'

/** Offsets from the study's seed: prompt order (149 for seed 49) and token sampling (249). */
const ORDER_SEED_OFFSET = 100
const SAMPLING_SEED_OFFSET = 200

interface Progress {
  readonly iteration: number
  readonly updates: number
  readonly cursor: number
  readonly next_learning_rates: { readonly actor: number; readonly critic: number } | null
  readonly actor_step: number
  readonly critic_step: number
  /** Boundaries are taken between iterations only, so none is ever pending. */
  readonly pending_rollouts: 0
}

export async function runPpo(
  job: PpoJob,
  run: StageRun,
): Promise<StageSummary & { status: 'finished' | 'interrupted' }> {
  const { config } = job
  if (config.temperature !== 1)
    throw new BadInput(
      'temperature',
      `PPO samples at 1, where the recorded log-probabilities are those of the behaviour policy; not ${config.temperature}`,
    )
  const context = await beginStage(job, run)
  const prompts = encodePrompts(
    encoderFor(context, job.train, limitsOf(config)),
    await readRows(job.train, promptRowSchema),
  )

  const roles = initialRoles(job, context.base)
  const initial = hashes(roles)
  const record = new RunRecord<Progress>(job.runDir, {
    stage: 'ppo',
    config: sha256(JSON.stringify(config)),
    shuffle: job.shuffle,
    base: context.base.sha256(),
    train_data: sha256(readFileSync(job.train)),
    ...Object.fromEntries(Object.entries(initial).map(([role, hash]) => [`initial_${role}`, hash])),
    device: context.device.name,
    threads: context.device.threads,
  })

  const actor = new Learner(roles.actor)
  const critic = new Learner(roles.critic)
  const order = new DrawOrder(prompts, { shuffle: job.shuffle, seed: config.seed + ORDER_SEED_OFFSET })
  const sampling = new TorchRandom(config.seed + SAMPLING_SEED_OFFSET)
  let [iteration, updates] = [0, 0]
  if (record.resumed !== null) {
    const { progress, tensors } = record.resumed
    ;({ iteration, updates } = progress)
    restore(actor, tensors, progress.actor_step, 'actor_')
    restore(critic, tensors, progress.critic_step, 'critic_')
    sampling.setState({ words: tensors.sampling as Uint32Array, nextNormal: null })
    order.restore(progress.cursor, tensors)
  }

  const total = config.rollout_iterations * config.ppo_epochs_per_rollout
  const schedule = { warmupRatio: config.warmup_ratio, minimumLrRatio: config.minimum_lr_ratio }
  const rates = (step: number) => ({
    actor: learningRate(step, total, config.ppo_actor_lr, schedule),
    critic: learningRate(step, total, config.ppo_critic_lr, schedule),
  })
  const state = (): RunState<Progress> => ({
    progress: {
      iteration,
      updates,
      cursor: order.cursor,
      next_learning_rates: updates < total ? rates(updates) : null,
      actor_step: actor.adam.step,
      critic_step: critic.adam.step,
      pending_rollouts: 0,
    },
    tensors: {
      actor_learned: roles.actor.state.data,
      actor_adam_m: actor.adam.m,
      actor_adam_v: actor.adam.v,
      critic_learned: roles.critic.state.data,
      critic_adam_m: critic.adam.m,
      critic_adam_v: critic.adam.v,
      reference_learned: roles.reference.state.data,
      reward_learned: roles.reward.state.data,
      sampling: sampling.state().words,
      ...order.tensors(),
    },
  })

  const clock = new PhaseClock()
  const promptColumns = prompts.reduce((longest, row) => Math.max(longest, row.promptIds.length), 1)
  const updater = new PpoUpdater({ context, config, actor, critic, clock, promptColumns })
  const stopAt = Math.min(job.stopAfter ?? config.rollout_iterations, config.rollout_iterations)
  run.progress('train', updates, total)
  while (iteration < stopAt && !(await run.boundary())) {
    const before = { ...clock.seconds }
    const policy = learnedSha256(roles.actor.state)
    const rollouts = await collectRollouts(
      { context, config, roles, clock, promptColumns, eosId: turnEndId(context), uniform: () => sampling.uniform01() },
      order.next(config.prompts_per_rollout),
      iteration + 1,
    )
    const lines: PpoUpdate[] = []
    const audits: CreditAuditLine[] = []
    for (let epoch = 1; epoch <= config.ppo_epochs_per_rollout; epoch++) {
      try {
        const place = { iteration: iteration + 1, update: updates + 1, epoch }
        const read = () => auditPpoUpdate(context, roles.actor, rollouts, config, promptColumns)
        audits.push(...(await recordAudit(config, place, roles.actor, () => clock.time('credit_audit', read))))
        lines.push(await updater.update(rollouts, { update: updates + 1, epoch, rates: rates(updates) }))
      } catch (error) {
        throw atUpdate(error, updates + 1)
      }
      updates++
    }
    iteration++
    const line: IterationLine = {
      kind: 'iteration',
      iteration,
      policy_sha256: policy,
      reduction,
      rollouts,
      updates: lines,
    }
    const journalBytes = record.commit([...audits, line], state(), secondsSince(before, clock.seconds))
    run.report({ type: 'committed', done: updates, total, journalBytes, metrics: metricsOf(rollouts, lines) })
  }
  record.close()

  const finished = iteration === config.rollout_iterations
  const final = hashes(roles)
  if (final.reference !== initial.reference || final.reward !== initial.reward)
    throw new Error('a frozen role changed during PPO')
  if (finished) {
    if (config.ppo_actor_lr > 0 && final.actor === initial.actor) throw new Error('PPO changed nothing in the actor')
    if (config.ppo_critic_lr > 0 && final.critic === initial.critic)
      throw new Error('PPO changed nothing in the critic')
    saveRole(path.join(job.runDir, runFiles.adapter), roles.actor)
    saveRole(path.join(job.runDir, runFiles.critic), roles.critic)
  }
  return {
    stage: 'ppo',
    status: finished ? 'finished' : 'interrupted',
    updates,
    total,
    learnedSha256: final,
    initialSha256: initial,
    baseSha256: context.base.sha256(),
    trainableParameters: roles.actor.state.data.length + roles.critic.state.data.length,
    seconds: clock.seconds,
    peakRssBytes: peakRssBytes(),
  }
}

function initialRoles(job: PpoJob, base: Parameters<typeof roleFromPeft>[1]): PpoRoles {
  const policy = roleFromPeft(job.initAdapter, base)
  if (policy.head !== 'none')
    throw new BadInput(job.initAdapter, `has a ${policy.head} head; PPO starts from a policy adapter without one`)
  const roles = {
    actor: policy,
    reference: copyRole(policy),
    reward: roleFromPeft(job.rewardAdapter, base, 'score'),
    critic: criticFrom(policy, base),
  }
  const buffers = new Set(Object.values(roles).map((role) => role.state.data.buffer))
  // Sharing memory between critic and judge would move the reward while it is learned from.
  if (buffers.size !== 4) throw new Error('two PPO roles share memory')
  return roles
}

function hashes(roles: PpoRoles): Record<keyof PpoRoles, string> {
  const of = (role: keyof PpoRoles) => learnedSha256(roles[role].state)
  return { actor: of('actor'), reference: of('reference'), reward: of('reward'), critic: of('critic') }
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

function metricsOf(rollouts: readonly Rollout[], updates: readonly PpoUpdate[]): Record<string, number> {
  const last = updates.at(-1)!
  return {
    learned_reward: mean(rollouts.map((rollout) => rollout.learned_reward_score)),
    sampled_logratio: mean(rollouts.map((rollout) => rollout.sampled_actor_reference_logratio)),
    response_tokens: mean(rollouts.map((rollout) => rollout.response_ids.length)),
    truncated: rollouts.filter((rollout) => rollout.finish_reason === 'length').length,
    actor_loss: last.actor_loss,
    critic_loss: last.critic_loss,
    actor_grad_norm: last.grad_norms.actor,
    critic_grad_norm: last.grad_norms.critic,
    clip_fraction: last.clip_fraction,
  }
}
