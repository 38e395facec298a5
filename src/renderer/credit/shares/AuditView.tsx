/** One finished audit: shares of the parts on the left, the closing line on the right. */
import { useMemo } from 'react'
import { auditBars, mostBars } from '../../../main/report/credit-shares.ts'
import { integer } from '../../../main/report/number-text.ts'
import type { CreditAudit } from '../../../shared/credit-audit.ts'
import { SignedBars } from '../../charts/index.ts'
import classes from '../credit.module.css'
import { ClosingLine } from './ClosingLine.tsx'

interface Props {
  readonly audit: CreditAudit
  readonly study?: string | undefined
  readonly reportAt?: string | undefined
  readonly onPart?: (name: string) => void
}

export function AuditView({ audit, study, reportAt, onPart }: Props) {
  const chart = useMemo(() => auditBars(audit.parts), [audit])
  const parts = audit.parts.length
  return (
    <div className={classes.audit}>
      <SignedBars
        name="credit-shares"
        title={`Shares by ${audit.partition}`}
        chart={chart}
        study={study}
        reportAt={reportAt}
        notes={parts > mostBars ? [{ text: `${integer(mostBars - 1)} largest of ${integer(parts)} parts` }] : []}
        caption="A negative share pulls against the whole. First order: this gradient, at these parameters; it says nothing of what would happen without the part."
        {...(onPart === undefined ? {} : { onSelect: onPart })}
      />
      <ClosingLine audit={audit} />
    </div>
  )
}
