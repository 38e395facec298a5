/** One finished audit: shares of the parts on the left, the closing line on the right. */
import { useMemo } from 'react'
import { integer } from '../../../main/report/number-text.ts'
import type { CreditAudit } from '../../../shared/credit-audit.ts'
import { SignedBars } from '../../charts/index.ts'
import classes from '../credit.module.css'
import { auditBars } from './audit-bars.ts'
import { ClosingLine } from './ClosingLine.tsx'

interface Props {
  readonly audit: CreditAudit
  readonly study?: string | undefined
  readonly onPart?: (name: string) => void
}

export function AuditView({ audit, study, onPart }: Props) {
  const bars = useMemo(() => auditBars(audit), [audit])
  return (
    <div className={classes.audit}>
      <SignedBars
        name="credit-shares"
        title={`Shares by ${audit.partition}`}
        chart={bars.chart}
        study={study}
        notes={bars.shown < bars.all ? [{ text: `${integer(bars.shown)} largest of ${integer(bars.all)} parts` }] : []}
        caption="A negative share pulls against the whole. First order: this gradient, at these parameters; it says nothing of what would happen without the part."
        {...(onPart === undefined ? {} : { onSelect: onPart })}
      />
      <ClosingLine audit={audit} />
    </div>
  )
}
