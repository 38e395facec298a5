/** Which question stands at which tab. */
import type { CreditSource } from '../../shared/credit-requests.ts'
import type { CreditRoute } from '../routes/index.ts'
import { DatcTab } from './datc/DatcTab.tsx'
import { DeskTab } from './desk/DeskTab.tsx'
import { DiagnosticsTab } from './diagnostics/DiagnosticsTab.tsx'
import { MethodsTab } from './methods/MethodsTab.tsx'
import { ProcessTab } from './process/ProcessTab.tsx'
import { SharesTab } from './shares/SharesTab.tsx'
import { TokensTab } from './tokens/TokensTab.tsx'

export interface TabProps {
  readonly route: CreditRoute
  /** Never null: what the address leaves open is settled. */
  readonly source: CreditSource
}

export function TabOf(props: TabProps) {
  switch (props.route.tab) {
    case 'shares':
      return <SharesTab {...props} />
    case 'tokens':
      return <TokensTab {...props} />
    case 'methods':
      return <MethodsTab {...props} />
    case 'process':
      return <ProcessTab {...props} />
    case 'diagnostics':
      return <DiagnosticsTab {...props} />
    case 'datc':
      return <DatcTab {...props} />
    case 'desk':
      return <DeskTab {...props} />
  }
}
