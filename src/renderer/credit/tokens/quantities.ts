/** What tokens can be coloured by: recorded numbers, exact shares, what methods give, DATC's readings. */
import { askedWords, otherSampler } from '../../../main/report/credit-shares.ts'
import { objectiveWords, runReduction } from '../../../shared/audit-defaults.ts'
import type { DatcRow, TrajectoryView } from '../../../shared/credit.ts'
import type { CreditAudit } from '../../../shared/credit-audit.ts'
import type { CreditComparison } from '../../../shared/credit-estimates.ts'
import type { ScaleKind } from '../../tokens/colour-scale.ts'
import type { RecordedShares } from '../readings.ts'
import { overActions, recordedIn, recordedValue, recordedWords, sharesOf, type TokenValue } from './token-lines.ts'

export interface TokenQuantity {
  readonly key: string
  /** Heading it stands under where it is chosen. */
  readonly group: string
  readonly label: string
  readonly kind: ScaleKind
  readonly value: TokenValue
  /** Of what gradient, in sentences; absent for what is no reading of one. */
  readonly of?: string
  /** Adds up to one over the audited rollouts: how many they were, and how nearly; absent for what is no share. */
  readonly share?: { readonly rollouts: number; readonly conservationError: number | null }
}

export const exactShare = 'exact share'

export function recordedQuantities(views: readonly TrajectoryView[]): TokenQuantity[] {
  return recordedIn(views).map((name) => ({
    key: name,
    group: 'Recorded',
    label: recordedWords[name],
    kind: name === 'logprobs' || name === 'ref_logprobs' ? 'log-prob' : 'signed',
    value: recordedValue(views, name),
  }))
}

/**
 * @param asked whose parameters, and whether they sampled
 * @param beside whether recorded shares stand beside it
 */
export function shareQuantity(
  audit: CreditAudit,
  asked: { readonly policy: string; readonly sampled: boolean | null },
  beside: boolean,
): TokenQuantity {
  return {
    key: beside ? `${exactShare}, audited` : exactShare,
    group: 'Exact',
    label: beside ? 'exact credit share, audited later' : 'exact credit share',
    kind: 'share',
    value: sharesOf(audit),
    of: `${askedWords(audit, asked.policy)}. ${otherSampler(asked.policy, asked.sampled)}`.trimEnd(),
    share: { rollouts: audit.rollouts, conservationError: audit.conservation_error },
  }
}

const ofRecorded = (update: number | null) =>
  `The gradient that ${update === null ? 'the first audited update of each iteration' : `update ${update}`} was taken on: of the run’s own loss (${objectiveWords[runReduction]}, where the clip does not bind) with the run’s advantages, at the policy just before the step, in float32.`

/** What the run recorded of the very update. */
export function recordedShare(views: readonly TrajectoryView[], recorded: RecordedShares): TokenQuantity {
  const { update, rollouts, conservationError } = recorded
  return {
    key: exactShare,
    group: 'Exact',
    label: `exact credit share${update === null ? ', recorded' : `, update ${update}`}`,
    kind: 'share',
    value: overActions(views, recorded.shares),
    of: ofRecorded(update),
    share: { rollouts, conservationError },
  }
}

/** Of the methods that were compared on these rollouts. */
export function methodQuantities(comparison: CreditComparison | null): TokenQuantity[] {
  if (comparison === null) return []
  const values = new Map(
    comparison.advantages.map(({ id, turn, index, advantages }) => [`${id} ${turn} ${index}`, advantages]),
  )
  return comparison.methods.map(({ label }) => ({
    key: `method ${label}`,
    group: 'Advantage by method',
    label,
    kind: 'signed',
    value: (id, turn, index) => values.get(`${id} ${turn} ${index}`)?.[label] ?? Number.NaN,
  }))
}

export function datcQuantities(views: readonly TrajectoryView[], rows: readonly DatcRow[]): TokenQuantity[] {
  const lists = (of: (row: DatcRow) => readonly number[]) => new Map(rows.map((row) => [row.id, of(row)]))
  return [
    {
      key: 'datc weight',
      group: 'DATC',
      label: 'DATC weight',
      kind: 'ratio',
      value: overActions(
        views,
        lists(({ weights }) => weights),
      ),
    },
    {
      key: 'datc direction',
      group: 'DATC',
      label: 'directional credit',
      kind: 'signed',
      value: overActions(
        views,
        lists(({ directional_credit }) => directional_credit),
      ),
    },
  ]
}
