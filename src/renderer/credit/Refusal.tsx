/** A refusal is a result: what cannot be said, the numbers that say so, and what to do instead. */
import { significant } from '../../main/report/number-text.ts'
import { Notice } from '../parts/index.ts'
import classes from './credit.module.css'

interface Props {
  readonly title: string
  readonly reason: string
  /** By what they are; a text is a number as it is to be written. */
  readonly numbers?: Readonly<Record<string, number | string>>
  readonly remedy?: string | undefined
}

export function Refusal({ title, reason, numbers = {}, remedy }: Props) {
  return (
    <section className={classes.refusal} aria-label={title}>
      <Notice tone="warn" title={`Refused: ${title}`}>
        {reason}
      </Notice>
      {Object.keys(numbers).length > 0 && (
        <dl className={classes.amounts}>
          {Object.entries(numbers).map(([name, value]) => (
            <div key={name}>
              <dt>{name.replaceAll('_', ' ')}</dt>
              <dd>
                <b>{typeof value === 'string' || Number.isInteger(value) ? String(value) : significant(value)}</b>
              </dd>
            </div>
          ))}
        </dl>
      )}
      {remedy !== undefined && (
        <p className={classes.remedy}>
          <b>What to do:</b> {remedy}
        </p>
      )}
    </section>
  )
}
