/** The turn concentration of rollouts whose audits by turn and by rollout are kept: the same reading as of a file. */
import type { CreditResultListing } from '../../../shared/credit.ts'
import type { CreditAudit } from '../../../shared/credit-audit.ts'
import type { CreditSource } from '../../../shared/credit-requests.ts'
import type { TurnConcentration } from '../../../shared/turn-concentration.ts'
import { turnConcentration } from '../../engine/credit/turn-concentration.ts'
import { canonicalJson } from '../../store/json.ts'
import type { Workbench } from '../workbench.ts'
import { creditResult, creditResults } from './credit-results.ts'
import { chosenRows, sourceRows } from './sources.ts'

export interface KeptConcentration {
  /** Null where an audit is missing, or its gradient was zero. */
  readonly concentration: TurnConcentration | null
  /** Partitions that are still to be audited, with the settings of the other where it is there. */
  readonly missing: readonly ('turn' | 'rollout')[]
}

interface Asked {
  readonly source: CreditSource
  readonly ids?: readonly string[] | undefined
}

/** Of the newest audit by turn, and one by rollout of the same rollouts, parameters and settings. */
export async function keptConcentration(bench: Workbench, { source, ids }: Asked): Promise<KeptConcentration> {
  const audits = creditResults(bench).filter(
    (one) =>
      one.kind === 'credit-audit' &&
      one.status === 'finished' &&
      canonicalJson(one.source) === canonicalJson(source) &&
      canonicalJson(one.ids) === canonicalJson(ids ?? null),
  )
  const byTurn = audits.find(({ settings }) => settings.partition === 'turn')
  if (byTurn === undefined) return { concentration: null, missing: ['turn', 'rollout'] }
  const byRollout = audits.find((one) => one.settings.partition === 'rollout' && sameBut(one, byTurn))
  if (byRollout === undefined) return { concentration: null, missing: ['rollout'] }
  const [turns, rollouts] = [byTurn, byRollout].map(({ run_id }) => creditResult(bench, run_id).audit)
  if (turns == null || rollouts == null || 'verdict' in turns || 'verdict' in rollouts) {
    return { concentration: null, missing: [] }
  }
  const rows = chosenRows(await sourceRows(bench, source), ids)
  return { concentration: turnConcentration(rows, partsOf(turns), partsOf(rollouts)), missing: [] }
}

const partsOf = ({ parts }: CreditAudit) => parts

function sameBut(one: CreditResultListing, other: CreditResultListing): boolean {
  const { partition: _one, ...settings } = one.settings
  const { partition: _other, ...wanted } = other.settings
  return one.policy_sha256 === other.policy_sha256 && canonicalJson(settings) === canonicalJson(wanted)
}
