/** Kept results that answer for the rollouts in view. */
import type { CreditResultListing } from '../../shared/credit.ts'
import type { CreditSource } from '../../shared/credit-requests.ts'
import type { CreditRoute } from '../routes/index.ts'

/** Of one kind and of these rollouts exactly, newest first. */
export function resultsFor(
  results: readonly CreditResultListing[],
  kind: CreditResultListing['kind'],
  source: CreditSource,
  rollouts: CreditRoute['rollouts'],
): CreditResultListing[] {
  const [wanted, ids] = [sourceText(source), idsText(rollouts.length === 0 ? null : rollouts)]
  return results.filter((one) => one.kind === kind && sourceText(one.source) === wanted && idsText(one.ids) === ids)
}

function sourceText(source: CreditSource): string {
  return source.kind === 'file' ? `file ${source.sha256}` : `run ${source.run_id} ${source.iterations?.join('-') ?? ''}`
}

const idsText = (ids: readonly string[] | null): string => (ids === null ? '' : JSON.stringify([...ids].sort()))

/** The one that the address names, else the newest that is finished, else the newest. */
export function openResult(results: readonly CreditResultListing[], named: string | null): CreditResultListing | null {
  return (
    results.find(({ run_id }) => run_id === named) ??
    results.find(({ status }) => status === 'finished') ??
    results[0] ??
    null
  )
}
