/** Several estimators on the same tokens: rank correlation, agreement of signs, and the tokens where they part most. */
import { BadInput } from '../../../shared/bad-input.ts'
import type { ComparedPair, CreditComparison } from '../../../shared/credit-estimates.ts'
import type { Trajectory } from '../../../shared/trajectory.ts'
import { largestRankGaps, rankCorrelation, ranks, signAgreement } from '../../engine/credit/estimators/compare.ts'
import { type Estimate, estimate } from '../../engine/credit/estimators/estimate.ts'
import { methodNamed } from '../../engine/credit/estimators/registry.ts'
import { type Baseline, baselines, type GivenSettings } from '../../engine/credit/estimators/settings.ts'

/** An estimate under the name that it was asked for. */
export interface LabelledEstimate {
  readonly label: string
  readonly estimate: Estimate
}

/**
 * @param label a method, or method:baseline where it takes one, such as `monte-carlo:rloo`
 * @throws BadInput naming `flag` for an unknown name, or the row and the field that the method misses
 */
export function labelledEstimate(
  label: string,
  trajectories: readonly Trajectory[],
  given: GivenSettings,
  file: string,
  flag = '--methods',
): LabelledEstimate {
  const [name = '', baseline, ...more] = label.split(':')
  const method = methodNamed(name, flag)
  if (baseline === undefined) return { label, estimate: estimate(method, trajectories, given, file) }
  if (more.length > 0 || !method.settings.includes('baseline')) {
    throw new BadInput(flag, `${label}: ${name} takes no baseline`)
  }
  if (!isBaseline(baseline)) throw new BadInput(flag, `${label}: ${baseline} is not one of ${baselines.join(', ')}`)
  return { label, estimate: estimate(method, trajectories, { ...given, baseline }, file) }
}

function isBaseline(name: string): name is Baseline {
  return (baselines as readonly string[]).includes(name)
}

/** @param differMost tokens to name for each pair */
export function comparisonOf(labelled: readonly LabelledEstimate[], differMost: number): CreditComparison {
  const rollouts = labelled[0]?.estimate.rollouts ?? []
  const lists = labelled.map(({ estimate }) => estimate.rollouts.flatMap(({ credit }) => credit.advantages))
  const places = rollouts.flatMap(({ trajectory, places }) => places.map((place) => ({ id: trajectory.id, ...place })))
  const ranked = lists.map(ranks)
  const pair = (i: number, j: number): ComparedPair => {
    const [a, b] = [lists[i]!, lists[j]!]
    const { share, opposite } = signAgreement(a, b)
    return {
      a: labelled[i]!.label,
      b: labelled[j]!.label,
      tokens: places.length,
      rank_correlation: rankCorrelation(ranked[i]!, ranked[j]!),
      sign_agreement: share,
      opposite_signs: opposite,
      differ_most: largestRankGaps(ranked[i]!, ranked[j]!, differMost).map((gap) => ({
        ...places[gap.at]!,
        advantages: [a[gap.at]!, b[gap.at]!],
        ranks: gap.ranks,
      })),
    }
  }
  return {
    tokens: places.length,
    abstained: rollouts.filter(({ absence }) => absence !== null).map(({ trajectory }) => trajectory.id),
    methods: labelled.map(({ label, estimate }) => ({
      label,
      method: estimate.method.name,
      parameters: estimate.parameters,
      formula: estimate.method.formula,
      conventions: estimate.conventions,
      notes: estimate.notes,
      summary: estimate.summary,
    })),
    pairs: labelled.flatMap((_, i) => labelled.slice(i + 1).map((_other, j) => pair(i, i + 1 + j))),
    advantages: places.map((place, at) => ({
      ...place,
      advantages: Object.fromEntries(labelled.map(({ label }, i) => [label, lists[i]![at]!])),
    })),
  }
}
