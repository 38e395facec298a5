/** One kept audit, opened: its shares with the closing line, or its refusal. */
import { decimal } from '../../../main/report/number-text.ts'
import { useAnswer } from '../../bridge/index.ts'
import { Answered, Hash } from '../../parts/index.ts'
import { Link } from '../../routes/index.ts'
import { counted, duration } from '../../words/index.ts'
import classes from '../credit.module.css'
import { Refusal } from '../Refusal.tsx'
import { AuditView } from './AuditView.tsx'

interface Props {
  readonly runId: string
  readonly study?: string | undefined
  readonly onPart?: (name: string) => void
}

export function AuditResult({ runId, study, onPart }: Props) {
  const answer = useAnswer('credit.result', { run_id: runId })
  return (
    <Answered answer={answer} what="Reading the audit">
      {({ listing, audit }) =>
        audit === null ? null : (
          <>
            <p className={classes.figures}>
              <span>
                advantages: <b>{audit.advantages}</b>
              </span>
              <span>{counted(audit.rollouts, 'rollout')}</span>
              {audit.left_out.length > 0 && <span>{counted(audit.left_out.length, 'ungraded one')} left out</span>}
              {listing.policy_sha256 !== null && (
                <span>
                  policy <Hash value={listing.policy_sha256} of="the policy" />
                </span>
              )}
              <span>{duration(listing.seconds)}</span>
              <Link to={{ screen: 'run', run: runId }}>Its run</Link>
            </p>
            {'verdict' in audit ? (
              <Refusal
                title="there is nothing to share out"
                reason={`${audit.reason}.`}
                numbers={audit.numbers}
                remedy={audit.remedy}
              />
            ) : (
              <AuditView
                audit={audit}
                study={study}
                reportAt="table-credit-audits"
                {...(onPart === undefined ? {} : { onPart })}
              />
            )}
            {!('verdict' in audit) && audit.parts.length > 1 && (
              <p className={classes.caption}>
                Largest pull {decimal(Math.max(...audit.parts.map((part) => part.projected_share)))}, smallest{' '}
                {decimal(Math.min(...audit.parts.map((part) => part.projected_share)))}. A bar opens its rollout token
                by token.
              </p>
            )}
          </>
        )
      }
    </Answered>
  )
}
