/** The audit of a trajectory file with a policy that is open already: what the command line asks for, as plain data. */
import type { AuditSettings, CreditAudit, RefusedAudit } from '../../../shared/credit-audit.ts'
import { auditRows } from '../../engine/credit/geometry/audit-rows.ts'
import type { OnPass } from '../../engine/credit/geometry/disintegrate.ts'
import { roleFromPeft } from '../../engine/learn/role.ts'
import { type StageContext, turnEndId } from '../../engine/learn/stage-context.ts'
import { readTrajectories } from '../../rows/read-trajectories.ts'
import { withAdvantagesOf } from './given-advantages.ts'

export interface AuditFileRequest {
  /** Trajectories, JSONL. */
  readonly input: string
  /** PEFT folder; absent: the base alone, audited in a fresh adapter. */
  readonly adapter?: string
  /** Result of `credit estimate` whose advantages stand for those of `settings`. */
  readonly advantagesFile?: string
  readonly settings: AuditSettings
}

/** @throws BadInput naming the file, row and field, or the flag, that is wrong */
export async function auditFile(
  stage: StageContext,
  { input, adapter, advantagesFile, settings }: AuditFileRequest,
  onPass?: OnPass,
): Promise<CreditAudit | RefusedAudit> {
  const placed = await readTrajectories(input)
  const rows = placed.map(({ row }) => row)
  const credited = advantagesFile === undefined ? rows : withAdvantagesOf(advantagesFile, rows)
  const role = adapter === undefined ? null : roleFromPeft(adapter, stage.base)
  const audit = await auditRows(
    { model: stage.model, tokenizer: stage.tokenizer, eosId: turnEndId(stage), role },
    placed.map((one, i) => ({ ...one, row: credited[i]! })),
    input,
    advantagesFile === undefined ? settings : { ...settings, advantages: 'recorded' },
    onPass,
  )
  return advantagesFile === undefined ? audit : { ...audit, advantages: `given by ${advantagesFile}` }
}
