/** How does credit spread over several turns? Episodes turn by turn, and how concentrated their credit is. */
import { EmptyState } from '../../parts/index.ts'
import type { TabProps } from '../TabOf.tsx'

export function DeskTab(_: TabProps) {
  return <EmptyState title="No rollout of several turns yet" />
}
