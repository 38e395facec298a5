/** The documents of the kept results that tokens are coloured by. */
import type { CreditResultListing, DatcReading } from '../../../shared/credit.ts'
import type { CreditAudit } from '../../../shared/credit-audit.ts'
import { useAnswer } from '../../bridge/index.ts'

export function useKeptResults(
  audit: CreditResultListing | null,
  datc: CreditResultListing | null,
): {
  readonly audit: CreditAudit | null
  /** Whose parameters it is of; of no meaning without it. */
  readonly asked: { readonly policy: string; readonly sampled: boolean | null }
  readonly datc: DatcReading | null
} {
  const finished = (one: CreditResultListing | null) =>
    one === null || one.status !== 'finished' ? null : { run_id: one.run_id }
  const result = useAnswer('credit.result', finished(audit)).value
  const audited = result?.audit ?? null
  const weighed = useAnswer('credit.result', finished(datc)).value?.datc ?? null
  return {
    audit: audited === null || 'verdict' in audited ? null : audited,
    asked: { policy: result?.listing.policy ?? '', sampled: result?.sampled ?? null },
    datc: weighed,
  }
}
