/** One kept audit, opened: its shares with the closing line, or its refusal. */
import { otherSampler } from '../../../main/report/credit-shares.ts'
import { decimal, significant } from '../../../main/report/number-text.ts'
import { objectiveWords } from '../../../shared/audit-defaults.ts'
import { useAnswer } from '../../bridge/index.ts'
import { Answered, Hash, Notice } from '../../parts/index.ts'
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
      {({ listing, model, sampled, audit }) =>
        audit === null ? null : (
          <>
            <p className={classes.figures}>
              <span>
                J = <b>{objectiveWords[audit.reduction]}</b> ({audit.reduction})
              </span>
              <span>
                advantages: <b>{audit.advantages}</b>
              </span>
              <span>
                at <b>{listing.policy}</b>
                {model !== null && <> over {model}</>}
                {listing.policy_sha256 !== null && (
                  <>
                    {' '}
                    <Hash value={listing.policy_sha256} of="the policy" />
                  </>
                )}
              </span>
              <span>
                in <b>{audit.dtype}</b>
              </span>
              <span>{counted(audit.rollouts, 'rollout')}</span>
              {audit.left_out.length > 0 && <span>{counted(audit.left_out.length, 'ungraded one')} left out</span>}
              {audit.sampling_gap !== undefined && (
                <span>
                  log π against that recorded at sampling: off by <b>{significant(audit.sampling_gap.mean)}</b> a token
                </span>
              )}
              <span>{duration(listing.seconds)}</span>
              <Link to={{ screen: 'run', run: runId }}>Its run</Link>
            </p>
            {sampled === false && <Notice tone="warn">{otherSampler(listing.policy, sampled)}</Notice>}
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
