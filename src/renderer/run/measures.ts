/**
 * The quantities of a run as series over optimizer updates, whatever its stage. What is recorded once an iteration or
 * an epoch stands at the last update of it, so that every chart has one step axis.
 */

import type { LinePoint, Role } from '../../main/report/svg/chart.ts'
import type { RunView } from '../../shared/ipc.ts'
import { groupMeasures } from './group-measures.ts'

export interface Measure {
  readonly id: string
  readonly name: string
  readonly role: Role
  readonly points: readonly LinePoint[]
  /** Jumps from one point to the next. */
  readonly jagged?: boolean
  /** Values its axis must show: the ends of a share, the zero of an amount. */
  readonly include?: readonly number[]
}

/** Charts, checks and comparisons ask for the same run's. */
const known = new WeakMap<RunView, readonly Measure[]>()

export function measuresOf(view: RunView): readonly Measure[] {
  const before = known.get(view)
  if (before !== undefined) return before
  const measures =
    view.group !== undefined
      ? [...groupMeasures(view.group), memoryMeasure(view)]
      : view.run.stage === 'ppo'
        ? ppoMeasures(view)
        : supervisedMeasures(view)
  known.set(view, measures)
  return measures
}

export function measure(measures: readonly Measure[], id: string): Measure | undefined {
  return measures.find((one) => one.id === id)
}

/** First update to the last one planned: charts of an unfinished run show how much is to come. */
export function stepDomain(view: RunView): readonly [number, number] {
  const done = view.run.stage === 'ppo' ? view.ppo_updates.at(-1)?.update : view.updates.at(-1)?.update
  const last = Math.max(view.run.total, done ?? 0)
  return last > 1 ? [1, last] : [0, Math.max(2, last)]
}

function memoryMeasure({ memory }: RunView): Measure {
  const points = memory.map(({ update, rss_bytes }) => ({ x: update, y: rss_bytes / 1e6 }))
  return { id: 'memory', name: 'resident memory, MB', role: 'neutral', points, include: [0] }
}

function supervisedMeasures(view: RunView): Measure[] {
  const { run, updates, validations } = view
  const points = (of: (update: RunView['updates'][number]) => number) =>
    updates.map((update) => ({ x: update.update, y: of(update) }))
  const lastOf = new Map<number, number>()
  for (const update of updates) lastOf.set(update.epoch, update.update)
  const atEpoch = (of: (point: RunView['validations'][number]) => number | null) =>
    validations.flatMap((point) => {
      const x = lastOf.get(point.epoch)
      return x === undefined ? [] : [{ x, y: of(point) }]
    })
  const role: Role = run.stage === 'reward' ? 'reward' : 'policy'
  return [
    { id: 'loss', name: 'training loss', role, points: points((update) => update.loss), jagged: true, include: [0] },
    {
      id: 'validation-loss',
      name: 'validation loss',
      role: 'reference',
      points: atEpoch((point) => point.loss),
      include: [0],
    },
    {
      id: 'accuracy',
      name: 'pairs in the right order',
      role,
      points: atEpoch((point) => point.accuracy),
      include: [0.5, 1],
    },
    {
      id: 'grad-norm',
      name: 'gradient norm',
      role,
      points: points((update) => update.grad_norm),
      jagged: true,
      include: [0],
    },
    {
      id: 'learning-rate',
      name: 'learning rate',
      role,
      points: points((update) => update.learning_rate),
      include: [0],
    },
    memoryMeasure(view),
  ]
}

function ppoMeasures(view: RunView): Measure[] {
  const { ppo_updates: updates, iterations } = view
  const points = (of: (update: RunView['ppo_updates'][number]) => number) =>
    updates.map((update) => ({ x: update.update, y: of(update) }))
  const lastOf = new Map<number, number>()
  for (const update of updates) lastOf.set(update.iteration, update.update)
  const atIteration = (of: (point: RunView['iterations'][number]) => number | null) =>
    iterations.flatMap((point) => {
      const x = lastOf.get(point.iteration)
      return x === undefined ? [] : [{ x, y: of(point) }]
    })
  const jagged = true
  return [
    {
      id: 'learned-reward',
      name: 'learned reward',
      role: 'reward',
      points: atIteration((point) => point.mean_learned_reward),
      jagged,
    },
    {
      id: 'rubric',
      name: 'rubric success',
      role: 'rubric',
      points: atIteration((point) => (point.rubric_judged === 0 ? null : point.rubric_success / point.rubric_judged)),
      jagged,
      include: [0, 1],
    },
    {
      id: 'log-ratio',
      name: 'sampled log-ratio',
      role: 'policy',
      points: atIteration((point) => point.mean_sampled_actor_reference_logratio),
      jagged,
    },
    {
      id: 'ratio-min',
      name: 'smallest ratio',
      role: 'reference',
      points: points((update) => update.ratio_min),
      jagged,
    },
    { id: 'ratio-max', name: 'largest ratio', role: 'policy', points: points((update) => update.ratio_max), jagged },
    { id: 'clip', name: 'clip fraction', role: 'policy', points: points((update) => update.clip_fraction), jagged },
    { id: 'actor-loss', name: 'policy loss', role: 'policy', points: points((update) => update.actor_loss), jagged },
    { id: 'critic-loss', name: 'critic loss', role: 'critic', points: points((update) => update.critic_loss), jagged },
    {
      id: 'actor-grad',
      name: 'policy gradient norm',
      role: 'policy',
      points: points((update) => update.actor_grad_norm),
      jagged,
    },
    {
      id: 'critic-grad',
      name: 'critic gradient norm',
      role: 'critic',
      points: points((update) => update.critic_grad_norm),
      jagged,
    },
    {
      id: 'actor-rate',
      name: 'policy learning rate',
      role: 'policy',
      points: points((update) => update.actor_learning_rate),
    },
    {
      id: 'critic-rate',
      name: 'critic learning rate',
      role: 'critic',
      points: points((update) => update.critic_learning_rate),
    },
    {
      id: 'length',
      name: 'response tokens',
      role: 'policy',
      points: atIteration((point) => point.mean_response_tokens),
      jagged,
    },
    {
      id: 'truncated',
      name: 'truncated responses',
      role: 'neutral',
      points: atIteration((point) => point.without_eos),
      jagged,
    },
    { id: 'kl-reward', name: 'KL part', role: 'policy', points: atIteration((point) => point.mean_kl_reward), jagged },
    {
      id: 'truncation-reward',
      name: 'truncation part',
      role: 'neutral',
      points: atIteration((point) => point.mean_truncation_reward),
      jagged,
    },
    { id: 'value', name: 'value', role: 'critic', points: atIteration((point) => point.mean_value), jagged },
    { id: 'return', name: 'return', role: 'reward', points: atIteration((point) => point.mean_return), jagged },
    {
      id: 'advantage',
      name: 'advantage',
      role: 'policy',
      points: atIteration((point) => point.mean_advantage),
      jagged,
    },
    memoryMeasure(view),
  ]
}
