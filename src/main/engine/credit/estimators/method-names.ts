/** Names of the estimators, apart from their formulas, so that a help text loads none of them. */

export const methodNames = [
  'monte-carlo',
  'reward-to-go',
  'td',
  'gae',
  'gae-turn',
  'gae-skip-observation',
  'compaction',
  'comp-gae',
  'gigpo',
  'gaca',
  'gated-bepo',
  'factor',
  'opd',
  'opd-rbm',
  'red',
  'p2t',
  'mbpo',
  'option',
] as const
export type MethodName = (typeof methodNames)[number]
