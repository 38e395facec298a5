/** The charts of a run that learns from groups of rollouts, and what each one says of itself. */
import type { RunView } from '../../shared/ipc.ts'
import type { Plan } from './run-charts.ts'

type Group = NonNullable<RunView['group']>

export function groupPlans(view: RunView, group: Group, clip: Pick<Plan, 'levels' | 'caption'>): Plan[] {
  const setting = (name: string) => {
    const value = view.run.config[name]
    return typeof value === 'number' ? value : undefined
  }
  const epsilon = setting('clip_epsilon')
  const size = setting('group_size')
  const desk = view.run.config.environment !== undefined
  const rollouts = group.iterations[0]?.rollouts
  const each = `${rollouts === undefined ? '' : `; ${rollouts} rollouts an iteration`}${size === undefined ? '' : `, in groups of ${size}`}`
  const critic = group.updates.some((update) => update.critic_loss !== undefined)
  const several = group.iterations.some((point) => point.mean_turns > 1)
  return [
    {
      title: 'Reward',
      unit: 'reward a rollout',
      ids: ['reward'],
      smooth: true,
      caption: desk
        ? `Of the episodes, by the desk’s rules${each}.`
        : `Learned reward of the sampled responses with the truncation penalty, mean${each}. It is what this run optimises.`,
    },
    {
      title: 'Rubric success',
      unit: 'share',
      ids: ['rubric'],
      smooth: true,
      include: [0, 1],
      caption:
        'Share of the same rollouts that pass, judged after the fact. Learning never sees it; no held-out figure.',
    },
    {
      title: 'Divergence from the reference',
      unit: 'nats a token',
      ids: ['reference-divergence'],
      smooth: true,
      include: [0],
      caption: 'k3 at the sampled tokens: never negative, an estimate of the KL divergence. It is part of the loss.',
    },
    {
      title: 'Sampled log-ratio, policy to reference',
      unit: 'nats a token',
      ids: ['log-ratio'],
      smooth: true,
      include: [0],
      caption: 'Mean over sampled tokens. It can be negative and is no divergence.',
    },
    {
      title: 'Ratio, new to old policy',
      unit: 'ratio',
      ids: ['ratio-min', 'ratio-max'],
      include: [1],
      ...(epsilon === undefined
        ? {}
        : {
            levels: [1 - epsilon, 1 + epsilon],
            caption: `Extremes over an update’s tokens; dashed: the clip range 1 ± ${epsilon}.`,
          }),
    },
    {
      title: 'Clip fraction',
      unit: 'share',
      ids: ['clip'],
      include: [0],
      caption: 'Share of tokens outside the clip range. Zero in the first pass over fresh rollouts.',
    },
    { title: 'Policy loss', unit: 'loss', ids: ['actor-loss'], smooth: true, include: [0] },
    ...(critic ? [{ title: 'Critic loss', unit: 'loss', ids: ['critic-loss'], smooth: true, include: [0] }] : []),
    {
      title: critic ? 'Gradient norms' : 'Gradient norm',
      unit: 'L2 norm',
      ids: critic ? ['actor-grad', 'critic-grad'] : ['actor-grad'],
      include: [0],
      ...clip,
    },
    {
      title: critic ? 'Learning rates' : 'Learning rate',
      unit: 'rate',
      ids: critic ? ['actor-rate', 'critic-rate'] : ['actor-rate'],
      include: [0],
    },
    {
      title: 'Response length',
      unit: 'tokens',
      ids: ['length'],
      smooth: true,
      include: [0],
      caption: 'Action tokens, mean.',
    },
    ...(several ? [{ title: 'Agent turns', unit: 'turns', ids: ['turns'], smooth: true, include: [0] }] : []),
    {
      title: 'Truncated rollouts',
      unit: 'rollouts',
      ids: ['truncated'],
      include: [0, ...(rollouts === undefined ? [] : [rollouts])],
      caption: 'Cut by a limit of tokens or turns.',
    },
    ...(group.iterations.some((point) => point.left_out > 0)
      ? [
          {
            title: 'Rollouts without a reward',
            unit: 'rollouts',
            ids: ['left-out'],
            include: [0],
            caption: 'Failures of the environment and abstentions: in no mean, learned from by nobody.',
          },
        ]
      : []),
  ]
}
