/** Which question stands at which tab. */
import type { CreditSource } from '../../shared/credit-requests.ts'
import type { CreditRoute } from '../routes/index.ts'

export interface TabProps {
  readonly route: CreditRoute
  readonly source: CreditSource
}

export function TabOf({ route }: TabProps) {
  return <p>{route.tab}</p>
}
