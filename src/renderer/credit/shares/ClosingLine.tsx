/** The right-hand side of an audit: does it add up, in which precision, after how many passes, and does the step follow? */
import { closingLine, verdictOf } from '../../../main/report/credit-shares.ts'
import { significant } from '../../../main/report/number-text.ts'
import type { CreditAudit, StepConservation } from '../../../shared/credit-audit.ts'
import { Notice } from '../../parts/index.ts'
import classes from '../credit.module.css'

export function ClosingLine({ audit }: { readonly audit: CreditAudit }) {
  const verdict = verdictOf(audit)
  return (
    <section className={classes.closing} aria-label="Closing line">
      <Notice tone={verdict.adds ? 'good' : 'bad'} title={verdict.adds ? '✓ It adds up' : '✕ It does not add up'}>
        {verdict.text}
      </Notice>
      <dl className={classes.amounts}>
        {closingLine(audit).map(({ name, figure, note }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <b>{figure}</b>
              <small>{note}</small>
            </dd>
          </div>
        ))}
      </dl>
      {audit.step_conservation !== undefined && <Step step={audit.step_conservation} />}
    </section>
  )
}

function Step({ step }: { readonly step: StepConservation }) {
  if ('refused' in step) {
    return (
      <Notice tone="warn" title={`Step conservation: refused for ${step.optimizer}`}>
        {step.refused}
      </Notice>
    )
  }
  return (
    <Notice
      tone={step.update_precision_limited ? 'warn' : 'good'}
      title={`Step conservation, ${step.optimizer}: relative error ${significant(step.relative_error)}`}
    >
      The parameters moved by what the parts add up to. Below {significant(step.update_precision_floor)} the spacing of
      the parameters’ own numbers hides the difference
      {step.update_precision_limited ? '; that floor limits this reading.' : '.'}
    </Notice>
  )
}
