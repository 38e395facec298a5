/** Where a study's report holds what a screen shows: the figure or table with the same numbers, else the section. */

type Places = Readonly<Record<string, string>>

const supervised = (section: 'sft' | 'reward-model'): Places => ({
  loss: `figure-${section}-loss`,
  'grad-norm': `figure-${section}-gradient`,
  'learning-rate': `figure-${section}-rate`,
})

/** By the stage of a run, then by the name of its chart. */
const charts: Readonly<Record<string, Places>> = {
  sft: supervised('sft'),
  reward: { ...supervised('reward-model'), accuracy: 'table-reward-model-validation' },
  ppo: {
    'learned-reward': 'figure-ppo-reward',
    rubric: 'figure-ppo-rubric',
    'log-ratio': 'figure-ppo-logratio',
    'ratio-min': 'figure-ppo-ratios',
    clip: 'figure-ppo-clip',
    'actor-loss': 'figure-ppo-actor-loss',
    'critic-loss': 'figure-ppo-critic-loss',
    'actor-grad': 'figure-ppo-gradients',
    'actor-rate': 'figure-ppo-rates',
    length: 'figure-ppo-length',
    truncated: 'figure-ppo-truncated',
    'kl-reward': 'table-ppo-iterations',
    value: 'table-ppo-iterations',
    'phase-times': 'figure-ppo-phases',
  },
}

/** What a run as a whole has in the report's table of runs. */
const ofEveryRun: Places = { memory: 'table-runs', 'phase-times': 'table-stages' }

/** @returns undefined where no report holds the chart: rows of one's own, other stages */
export function placeOfRunChart(
  { stage, purpose }: { readonly stage: string; readonly purpose: string },
  chart: string,
) {
  if (purpose !== 'main') return undefined
  return charts[stage]?.[chart] ?? ofEveryRun[chart]
}

/** Places that screens of one study name by themselves. */
export const reportPlaces = {
  headlineReward: 'figure-ppo-reward',
  headlineRubric: 'figure-ppo-rubric',
  /** The report holds means of the rollouts, not each of them. */
  rollouts: 'ppo',
  heldOut: 'held-out',
  heldOutRows: 'table-held-out-rows',
  deltas: 'figure-probes-delta',
  outranks: 'figure-probes-outrank',
  squares: 'table-probes-contexts',
  configuration: 'table-configuration',
  provenance: 'table-provenance',
  verification: 'table-invariants',
} as const

/** All of them, for the test that the report has each. */
export const allReportPlaces: readonly string[] = [
  ...Object.values(charts).flatMap((places) => Object.values(places)),
  ...Object.values(ofEveryRun),
  ...Object.values(reportPlaces),
]
