/** Which charts a run has, and what each one says of itself. */

import type { LineChart, LineSeries } from '../../main/report/svg/chart.ts'
import type { RunView } from '../../shared/ipc.ts'
import { windowFor } from '../charts/curves.ts'
import { groupPlans } from './group-plans.ts'
import { type Measure, measure, measuresOf, stepDomain } from './measures.ts'

export interface RunChart {
  readonly name: string
  readonly title: string
  readonly caption?: string
  readonly chart: LineChart
}

export interface Plan {
  readonly title: string
  readonly unit: string
  readonly ids: readonly string[]
  readonly caption?: string
  readonly smooth?: boolean
  readonly include?: readonly number[]
  readonly levels?: readonly number[]
}

export function runCharts(view: RunView): readonly RunChart[] {
  const measures = measuresOf(view)
  const plans = plansOf(view)
  return plans.flatMap((plan) => {
    const series = plan.ids.flatMap((id) => measure(measures, id) ?? [])
    // What this kind of run never records has no chart; what it has not recorded yet has an empty one.
    if (series.every((one) => one.points.length > 0 && one.points.every(({ y }) => y === null))) return []
    return [
      {
        name: plan.ids[0]!,
        title: plan.title,
        ...(plan.caption === undefined ? {} : { caption: plan.caption }),
        chart: {
          kind: 'line' as const,
          xLabel: 'update',
          yLabel: plan.unit,
          xDomain: stepDomain(view),
          series: series.map((one) => seriesOf(one, plan.smooth === true)),
          ...(plan.include === undefined ? {} : { include: plan.include }),
          ...(plan.levels === undefined ? {} : { levels: plan.levels }),
        },
      },
    ]
  })
}

function plansOf(view: RunView): Plan[] {
  if (view.group !== undefined) return [...groupPlans(view, view.group, clipLevel(view)), ...memoryPlan(view)]
  return view.run.stage === 'ppo' ? ppoPlans(view) : supervisedPlans(view)
}

export function seriesOf({ name, role, points, jagged }: Measure, smooth: boolean): LineSeries {
  const window = smooth ? windowFor(points.length) : undefined
  return {
    name,
    role,
    points,
    ...(jagged === true ? { jagged } : {}),
    ...(window === undefined ? {} : { smoothing: window }),
  }
}

function setting(view: RunView, name: string): number | undefined {
  const value = view.run.config[name]
  return typeof value === 'number' ? value : undefined
}

function clipLevel(view: RunView): Pick<Plan, 'levels' | 'caption'> {
  const clip = setting(view, 'gradient_clip')
  return clip === undefined
    ? { caption: 'Before clipping.' }
    : { levels: [clip], caption: `Before clipping; dashed: norms above ${clip} are scaled down to it.` }
}

/** None for a run of a version that did not record it. */
function memoryPlan(view: RunView): Plan[] {
  if (view.memory.length === 0 && view.run.updates > 0) return []
  const caption = 'Resident memory of the process that computes, after each commit. It may differ between equal runs.'
  return [{ title: 'Memory', unit: 'MB', ids: ['memory'], include: [0], caption }]
}

function supervisedPlans(view: RunView): Plan[] {
  const reward = view.run.stage === 'reward'
  const pairs = reward || view.run.stage === 'dpo'
  return [
    {
      title: pairs ? 'Pair loss' : 'Loss',
      unit: pairs ? 'nats a pair' : 'nats a token',
      ids: ['loss', 'validation-loss'],
      smooth: true,
      include: [0],
      caption: reward
        ? 'Bradley–Terry loss; ln 2 ≈ 0.693 is guessing. Validation is looked at, never selected on.'
        : pairs
          ? 'Of the policy’s preference against the reference’s; ln 2 ≈ 0.693 where they agree, as at the start. Validation is looked at, never selected on.'
          : 'Mean negative log-likelihood of response tokens. Validation is looked at, never selected on.',
      ...(pairs ? { levels: [Math.LN2] } : {}),
    },
    ...(pairs
      ? [{ title: 'Validation pairs in the right order', unit: 'share', ids: ['accuracy'], include: [0.5, 1] }]
      : []),
    { title: 'Gradient norm', unit: 'L2 norm', ids: ['grad-norm'], smooth: true, include: [0], ...clipLevel(view) },
    { title: 'Learning rate', unit: 'rate', ids: ['learning-rate'], include: [0] },
    ...memoryPlan(view),
  ]
}

function ppoPlans(view: RunView): Plan[] {
  const epsilon = setting(view, 'clip_epsilon')
  const rollouts = view.iterations[0]?.rollouts
  const perIteration = rollouts === undefined ? '' : `; ${rollouts} rollouts an iteration`
  const limit = setting(view, 'max_new_tokens')
  return [
    {
      title: 'Learned reward',
      unit: 'score',
      ids: ['learned-reward'],
      smooth: true,
      caption: `Predicted simulated preference of the sampled responses, mean${perIteration}. It is what PPO optimises.`,
    },
    {
      title: 'Rubric success',
      unit: 'share',
      ids: ['rubric'],
      smooth: true,
      include: [0, 1],
      caption: `Share of the same rollouts that pass, judged after the fact${perIteration}. PPO never sees it; no held-out figure.`,
    },
    {
      title: 'Sampled log-ratio, policy to reference',
      unit: 'nats a token',
      ids: ['log-ratio'],
      smooth: true,
      include: [0],
      caption:
        'Mean over sampled tokens. It can be negative and is no divergence; the KL part of the reward uses the same values.',
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
    { title: 'Critic loss', unit: 'loss', ids: ['critic-loss'], smooth: true, include: [0] },
    { title: 'Gradient norms', unit: 'L2 norm', ids: ['actor-grad', 'critic-grad'], include: [0], ...clipLevel(view) },
    { title: 'Learning rates', unit: 'rate', ids: ['actor-rate', 'critic-rate'], include: [0] },
    {
      title: 'Response length',
      unit: 'tokens',
      ids: ['length'],
      smooth: true,
      include: [0],
      caption: `Mean with the closing token${limit === undefined ? '' : `; the limit is ${limit}`}.`,
    },
    {
      title: 'Truncated responses',
      unit: 'rollouts',
      ids: ['truncated'],
      include: [0, ...(rollouts === undefined ? [] : [rollouts])],
      caption: 'Cut at the token limit, by the sampler’s own reason.',
    },
    {
      title: 'Reward besides the judge',
      unit: 'reward a response',
      ids: ['kl-reward', 'truncation-reward'],
      include: [0],
    },
    {
      title: 'Values, returns, advantages',
      unit: 'mean over tokens',
      ids: ['value', 'return', 'advantage'],
      include: [0],
    },
    ...memoryPlan(view),
  ]
}
