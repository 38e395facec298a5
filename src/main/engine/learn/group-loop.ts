/**
 * Learning from groups of rollouts, whatever samples them and whatever method gives credit: sample, fix behaviour and
 * reference log-probabilities and the credit, take the epochs' updates, commit. The iteration is the atomic unit.
 */
import path from 'node:path'
import type { CreditAuditLine } from '../../../shared/credit-audit.ts'
import type { GroupIterationLine, PolicyUpdate } from '../../../shared/group-run.ts'
import { runFiles, type StageSummary } from '../../../shared/stage.ts'
import type { GroupConfig } from '../../../shared/training-config.ts'
import { learnedSha256 } from '../checkpoint/learned-state.ts'
import { learningRate } from '../optim/schedule.ts'
import { TorchRandom } from '../random/torch-random.ts'
import { peakRssBytes } from '../runtime/memory.ts'
import type { AdvantageStrategy } from './advantage-strategy.ts'
import { recordAudit } from './credit-recorder.ts'
import { DrawOrder } from './draw-order.ts'
import { auditGroupUpdate } from './group-audit.ts'
import { sampleAndCredit, takeUpdate } from './group-iteration.ts'
import { groupRollouts, meansOf } from './group-rollouts.ts'
import { atUpdate, Learner, restore } from './learner.ts'
import { reduction } from './ppo-math.ts'
import { copyRole, type Role, saveRole } from './role.ts'
import type { RolloutSource, RolloutTask } from './rollout-source.ts'
import { type RunIdentity, RunRecord, type RunState, sha256 } from './run-record.ts'
import type { StageContext } from './stage-context.ts'
import { type PhaseClock, type StageRun, secondsSince } from './stage-run.ts'

/** Offsets from the run's seed, as PPO has them: task order and token sampling. */
const ORDER_SEED_OFFSET = 100
const SAMPLING_SEED_OFFSET = 200

export interface GroupLearning<Task extends RolloutTask> {
  readonly stage: StageSummary['stage']
  readonly runDir: string
  readonly config: GroupConfig
  readonly shuffle: boolean
  readonly stopAfter?: number | undefined
  readonly context: StageContext
  readonly run: StageRun
  readonly clock: PhaseClock
  readonly source: RolloutSource<Task>
  readonly strategy: AdvantageStrategy
  /** Learns; its copy at the start of the run is the frozen reference. */
  readonly policy: Role
  /** Frozen roles beside the reference, by name: their hashes must be the same at the end. */
  readonly frozen: Readonly<Record<string, Role>>
  /** Of the data and of what else the caller fixes. */
  readonly identity: RunIdentity
}

interface Progress {
  readonly iteration: number
  readonly updates: number
  readonly cursor: number
  readonly next_learning_rate: number | null
  readonly policy_step: number
  readonly critic_step: number | null
}

export async function learnFromGroups<Task extends RolloutTask>(
  learning: GroupLearning<Task>,
): Promise<StageSummary & { status: 'finished' | 'interrupted' }> {
  const { config, context, run, clock, source, strategy, policy, frozen } = learning
  const roles = { policy, reference: copyRole(policy), ...frozen }
  const { critic } = strategy
  const initial = hashes(roles, critic?.learner.role)
  const record = new RunRecord<Progress>(learning.runDir, {
    stage: learning.stage,
    config: sha256(JSON.stringify(config)),
    shuffle: learning.shuffle,
    method: strategy.name,
    base: context.base.sha256(),
    ...learning.identity,
    ...source.identity,
    ...strategy.identity,
    ...Object.fromEntries(Object.entries(initial).map(([role, hash]) => [`initial_${role}`, hash])),
    device: context.device.name,
    threads: context.device.threads,
  })

  const learner = new Learner(policy)
  const order = new DrawOrder(source.tasks, { shuffle: learning.shuffle, seed: config.seed + ORDER_SEED_OFFSET })
  const sampling = new TorchRandom(config.seed + SAMPLING_SEED_OFFSET)
  let [iteration, updates] = [0, 0]
  if (record.resumed !== null) {
    const { progress, tensors } = record.resumed
    ;({ iteration, updates } = progress)
    restore(learner, tensors, progress.policy_step, 'policy_')
    if (critic !== undefined) restore(critic.learner, tensors, progress.critic_step ?? 0, 'critic_')
    sampling.setState({ words: tensors.sampling as Uint32Array, nextNormal: null })
    order.restore(progress.cursor, tensors)
    strategy.restore?.(tensors)
  }

  const total = config.rollout_iterations * config.epochs_per_rollout
  const schedule = { warmupRatio: config.warmup_ratio, minimumLrRatio: config.minimum_lr_ratio }
  const rate = (step: number, peak: number) => learningRate(step, total, peak, schedule)
  const state = (): RunState<Progress> => ({
    progress: {
      iteration,
      updates,
      cursor: order.cursor,
      next_learning_rate: updates < total ? rate(updates, config.learning_rate) : null,
      policy_step: learner.adam.step,
      critic_step: critic?.learner.adam.step ?? null,
    },
    tensors: {
      ...learnerTensors('policy', learner),
      ...(critic === undefined ? {} : learnerTensors('critic', critic.learner)),
      ...Object.fromEntries(
        Object.entries(roles).flatMap(([name, role]) =>
          name === 'policy' ? [] : [[`${name}_learned`, role.state.data]],
        ),
      ),
      sampling: sampling.state().words,
      ...order.tensors(),
      ...strategy.tensors?.(),
    },
  })

  const updater = { context, clock, config, learner, critic }
  const stopAt = Math.min(learning.stopAfter ?? config.rollout_iterations, config.rollout_iterations)
  run.progress('train', updates, total)
  while (iteration < stopAt && !(await run.boundary())) {
    const before = { ...clock.seconds }
    const policySha256 = learnedSha256(policy.state)
    const fixed = await sampleAndCredit(strategy, {
      context,
      source,
      clock,
      policy,
      reference: roles.reference,
      tasks: order.next(config.prompts_per_rollout),
      groupSize: config.group_size,
      uniform: () => sampling.uniform01(),
      iteration: iteration + 1,
    })
    const lines: PolicyUpdate[] = []
    const audits: CreditAuditLine[] = []
    const clip = { epsilon: config.clip_epsilon, klCoefficient: config.kl_coefficient }
    const read = () =>
      clock.time('credit_audit', () => auditGroupUpdate(context, policy, fixed.rows, fixed.sampled.shape, clip))
    for (let epoch = 1; epoch <= config.epochs_per_rollout; epoch++) {
      try {
        const place = { iteration: iteration + 1, update: updates + 1, epoch }
        audits.push(...(await recordAudit(config, place, policy, read)))
        const rates = {
          policy: rate(updates, config.learning_rate),
          critic: critic === undefined ? 0 : rate(updates, critic.learningRate),
        }
        lines.push(await takeUpdate(updater, fixed, { update: updates + 1, epoch, rates }))
      } catch (error) {
        throw atUpdate(error, updates + 1)
      }
      updates++
    }
    iteration++
    const line: GroupIterationLine = {
      kind: 'group-iteration',
      iteration,
      policy_sha256: policySha256,
      reduction,
      rollouts: groupRollouts(context, fixed.sampled, fixed.credits),
      updates: lines,
    }
    const journalBytes = record.commit([...audits, line], state(), secondsSince(before, clock.seconds))
    run.report({ type: 'committed', done: updates, total, journalBytes, metrics: meansOf(line) })
  }
  record.close()

  const finished = iteration === config.rollout_iterations
  const final = hashes(roles, critic?.learner.role)
  for (const name of ['reference', ...Object.keys(frozen)])
    if (final[name] !== initial[name]) throw new Error(`the frozen ${name} changed while the policy learned`)
  if (finished) {
    if (config.learning_rate > 0 && final.policy === initial.policy) throw new Error('training changed nothing')
    saveRole(path.join(learning.runDir, runFiles.adapter), policy)
    if (critic !== undefined)
      saveRole(path.join(learning.runDir, runFiles.critic), critic.saved?.(policy) ?? critic.learner.role)
  }
  return {
    stage: learning.stage,
    status: finished ? 'finished' : 'interrupted',
    updates,
    total,
    learnedSha256: final,
    initialSha256: initial,
    baseSha256: context.base.sha256(),
    trainableParameters: policy.state.data.length + (critic?.learner.role.state.data.length ?? 0),
    seconds: clock.seconds,
    peakRssBytes: peakRssBytes(),
  }
}

function hashes(roles: Readonly<Record<string, Role>>, critic: Role | undefined): Record<string, string> {
  const all = critic === undefined ? roles : { ...roles, critic }
  return Object.fromEntries(Object.entries(all).map(([name, role]) => [name, learnedSha256(role.state)]))
}

function learnerTensors(name: string, { role, adam }: Learner): RunState<unknown>['tensors'] {
  return { [`${name}_learned`]: role.state.data, [`${name}_adam_m`]: adam.m, [`${name}_adam_v`]: adam.v }
}
