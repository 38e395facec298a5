/**
 * The quantities of a run that learns from groups of rollouts. What it shares with PPO has PPO's names, so that runs of
 * both can be laid over each other; what is its own has names of its own.
 */
import type { RunView } from '../../shared/ipc.ts'
import type { Measure } from './measures.ts'

type Group = NonNullable<RunView['group']>

export function groupMeasures({ updates, iterations }: Group): Measure[] {
  const points = (of: (update: Group['updates'][number]) => number | undefined) =>
    updates.map((update) => ({ x: update.update, y: of(update) ?? null }))
  const lastOf = new Map<number, number>()
  for (const update of updates) lastOf.set(update.iteration, update.update)
  const atIteration = (of: (point: Group['iterations'][number]) => number | null) =>
    iterations.flatMap((point) => {
      const x = lastOf.get(point.iteration)
      return x === undefined ? [] : [{ x, y: of(point) }]
    })
  const jagged = true
  return [
    { id: 'reward', name: 'reward', role: 'reward', points: atIteration((point) => point.mean_reward), jagged },
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
      points: atIteration((point) => point.mean_sampled_policy_reference_logratio),
      jagged,
    },
    {
      id: 'reference-divergence',
      name: 'divergence from the reference, k3',
      role: 'policy',
      points: points((update) => update.reference_divergence),
      jagged,
      include: [0],
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
    { id: 'actor-loss', name: 'policy loss', role: 'policy', points: points((update) => update.loss), jagged },
    { id: 'critic-loss', name: 'critic loss', role: 'critic', points: points((update) => update.critic_loss), jagged },
    {
      id: 'actor-grad',
      name: 'policy gradient norm',
      role: 'policy',
      points: points((update) => update.grad_norm),
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
      points: points((update) => update.learning_rate),
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
      points: atIteration((point) => point.mean_action_tokens),
      jagged,
    },
    { id: 'turns', name: 'agent turns', role: 'policy', points: atIteration((point) => point.mean_turns), jagged },
    {
      id: 'truncated',
      name: 'truncated responses',
      role: 'neutral',
      points: atIteration((point) => point.truncated),
      jagged,
    },
    {
      id: 'left-out',
      name: 'rollouts without a reward',
      role: 'neutral',
      points: atIteration((point) => point.left_out),
      jagged,
      include: [0],
    },
  ]
}
