/** Proximal policy optimisation: every curve on one axis of iterations, and where the time went. */
import type { IterationPoint, PpoUpdatePoint, StudyDocument } from '../../../shared/study-document.ts'
import { decimal, integer, significant } from '../number-text.ts'
import type { Block, Figure, Section } from '../section.ts'
import type { LinePoint, LineSeries, Role } from '../svg/chart.ts'
import { pending } from './pending.ts'
import { phaseTimes } from './phase-times.ts'
import { iterationsTable, ppoUpdatesTable } from './ppo-tables.ts'

/** Points of a moving mean over iterations, once there are enough of them to hide a trend in the noise. */
const window = 9

export function ppoSection(document: StudyDocument): Section {
  const title = 'PPO'
  const question = 'Was it learning, and was it healthy?'
  if (document.iterations.length === 0) return pending('ppo', title, question, 'the first PPO iteration')
  const blocks: Block[] = [
    { kind: 'text', text: firstDifference(document) },
    { kind: 'figures', width: 'narrow', figures: figures(document) },
    {
      kind: 'text',
      tone: 'note',
      text: 'All panels share one axis of iterations; an update stands inside its iteration. The log-ratio is sampled: the mean over sampled tokens of log π(token) − log π_ref(token), which may be negative and is not the divergence over the vocabulary. Losses reduce by response, then by batch.',
    },
    {
      kind: 'details',
      summary: `Every iteration (${integer(document.iterations.length)})`,
      blocks: [{ kind: 'table', table: iterationsTable(document.iterations) }],
    },
    {
      kind: 'details',
      summary: `Every update (${integer(document.curves.ppo.length)})`,
      blocks: [{ kind: 'table', table: ppoUpdatesTable(document.curves.ppo) }],
    },
  ]
  const times = phaseTimes(document.runs)
  if (times !== null) blocks.push({ kind: 'subheading', text: 'Time by phase' }, ...times.blocks)
  return {
    id: 'ppo',
    title,
    question,
    blocks,
    data: { iterations: document.iterations, updates: document.curves.ppo, phase_seconds: times?.data ?? null },
  }
}

function firstDifference(document: StudyDocument): string {
  const first = document.curves.ppo.find((point) => point.update === 1)
  if (first === undefined) return 'No update has been made yet.'
  return `Before the first update the policy that is scored is the policy that sampled: the largest difference between teacher-forced and sampling-time log-probabilities is ${significant(first.old_logprob_max_difference)}, numerical difference only. Sampling-time values are kept as the behaviour policy’s and never replaced.`
}

type Panel = (
  id: string,
  title: string,
  yLabel: string,
  caption: string,
  source: 'iterations' | 'updates',
  series: readonly LineSeries[],
  more?: { include?: readonly number[]; levels?: readonly number[] },
) => Figure
type PerIteration = (name: string, role: Role, of: (point: IterationPoint) => number) => LineSeries

/** The criterion on the very responses that the score was optimised on; absent for prompts without a known target. */
function rubricPanel(iterations: readonly IterationPoint[], panel: Panel, perIteration: PerIteration): Figure[] {
  if (iterations.every((point) => point.rubric_judged === 0)) return []
  const share = (count: number, point: IterationPoint) =>
    point.rubric_judged === 0 ? Number.NaN : (100 * count) / point.rubric_judged
  return [
    panel(
      'rubric',
      'Rubric on the training rollouts',
      '% of rollouts',
      'Judged after the fact: the learner never saw a target. Training prompts, so no held-out figure.',
      'iterations',
      [perIteration('rubric success', 'rubric', (point) => share(point.rubric_success, point))],
      { include: [0, 100] },
    ),
  ]
}

function figures(document: StudyDocument): Figure[] {
  const { iterations, config } = document
  const updates = document.curves.ppo
  const last = Math.max(...iterations.map((point) => point.iteration))
  const xDomain = [0, Math.max(last, 1)] as const
  const smoothing = iterations.length >= 30 ? { smoothing: window } : {}
  const perIteration = (name: string, role: Role, of: (point: (typeof iterations)[number]) => number): LineSeries => ({
    name,
    role,
    ...smoothing,
    points: iterations.map((point) => ({ x: point.iteration, y: of(point) })),
  })
  const place = positionInIterations(updates)
  const perUpdate = (name: string, role: Role, of: (point: PpoUpdatePoint) => number, smooth = true): LineSeries => ({
    name,
    role,
    ...(smooth && updates.length >= 60 ? { smoothing: 2 * window - 1 } : {}),
    points: updates.map((point): LinePoint => ({ x: place(point), y: of(point) })),
  })
  const panel: Panel = (id, title, yLabel, caption, source, series, more = {}) => ({
    id: `figure-ppo-${id}`,
    title,
    caption,
    chart: { kind: 'line', xLabel: 'PPO iteration', yLabel, xDomain, series, ...more },
    dataKey: `ppo.data.${source}`,
  })
  return [
    panel(
      'reward',
      'Learned reward',
      'mean of rollouts',
      `Predicted simulated preference of ${config.prompts_per_rollout} sampled responses an iteration.`,
      'iterations',
      [perIteration('learned reward', 'reward', (point) => point.mean_learned_reward)],
    ),
    ...rubricPanel(iterations, panel, perIteration),
    panel(
      'logratio',
      'Sampled log-ratio to the reference',
      'mean log π − log π_ref',
      'At sampling; may be negative.',
      'iterations',
      [perIteration('sampled log-ratio', 'reference', (point) => point.mean_sampled_actor_reference_logratio)],
      { include: [0] },
    ),
    panel(
      'length',
      'Response length',
      'tokens',
      `Mean of rollouts; the limit is ${config.max_new_tokens} tokens.`,
      'iterations',
      [perIteration('response tokens', 'policy', (point) => point.mean_response_tokens)],
      { include: [0] },
    ),
    panel(
      'truncated',
      'Truncated responses',
      'rollouts without EOS',
      `Of ${config.prompts_per_rollout} an iteration; each is given ${decimal(config.truncation_penalty, 2)}.`,
      'iterations',
      [
        {
          ...perIteration('without EOS', 'policy', (point) => point.without_eos),
          points: iterations.map((point) => ({ x: point.iteration, y: point.without_eos })),
        },
      ],
      { include: [0, config.prompts_per_rollout] },
    ),
    panel(
      'actor-loss',
      'Actor loss',
      'clipped surrogate',
      'By update.',
      'updates',
      [perUpdate('actor loss', 'policy', (point) => point.actor_loss)],
      { include: [0] },
    ),
    panel(
      'critic-loss',
      'Critic loss',
      `${decimal(config.value_loss_coef, 2)} × squared error`,
      'By update.',
      'updates',
      [perUpdate('critic loss', 'critic', (point) => point.critic_loss)],
      { include: [0] },
    ),
    panel(
      'gradients',
      'Gradient norms',
      'L2 norm before clipping',
      `Actor and critic have their own optimisers; dashed: clipped above ${decimal(config.gradient_clip, 1)}.`,
      'updates',
      [
        perUpdate('actor', 'policy', (point) => point.actor_grad_norm),
        perUpdate('critic', 'critic', (point) => point.critic_grad_norm),
      ],
      {
        include: [0],
        levels: [config.gradient_clip],
      },
    ),
    panel(
      'rates',
      'Learning rates',
      'learning rate',
      'Warm-up, then linear decay.',
      'updates',
      [
        perUpdate('actor', 'policy', (point) => point.actor_learning_rate, false),
        perUpdate('critic', 'critic', (point) => point.critic_learning_rate, false),
      ],
      { include: [0] },
    ),
    panel(
      'clip',
      'Clip fraction',
      'share of tokens',
      `Tokens whose ratio lies outside 1 ± ${config.clip_epsilon}.`,
      'updates',
      [perUpdate('clip fraction', 'policy', (point) => point.clip_fraction)],
      { include: [0] },
    ),
    panel(
      'ratios',
      'Ratio range',
      'smallest and largest ratio',
      `Over the tokens of an update; dashed: 1 ± ${config.clip_epsilon}.`,
      'updates',
      [
        { ...perUpdate('largest', 'policy', (point) => point.ratio_max, false), jagged: true },
        { ...perUpdate('smallest', 'neutral', (point) => point.ratio_min, false), jagged: true },
      ],
      {
        levels: [1 + config.clip_epsilon, 1 - config.clip_epsilon],
      },
    ),
  ]
}

/** Update e of E inside iteration i stands at i − 1 + e/E: the iteration's last update at i itself. */
function positionInIterations(updates: readonly PpoUpdatePoint[]): (point: PpoUpdatePoint) => number {
  const perIteration = Math.max(1, ...updates.map((point) => point.epoch_within_rollout))
  return (point) => point.iteration - 1 + point.epoch_within_rollout / perIteration
}
