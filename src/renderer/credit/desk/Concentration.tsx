/** The turn-concentration audit: how few of an episode's turns carry its credit; a refusal where there are no turns to tell. */
import { decimal, percent } from '../../../main/report/number-text.ts'
import type { CreditResultListing, TrajectoryList } from '../../../shared/credit.ts'
import { useAnswer } from '../../bridge/index.ts'
import { SignedBars } from '../../charts/index.ts'
import { Answered } from '../../parts/index.ts'
import { counted } from '../../words/index.ts'
import classes from '../credit.module.css'
import { JobLine } from '../JobLine.tsx'
import { firstPolicy, policyRequest } from '../PolicyFields.tsx'
import { Refusal } from '../Refusal.tsx'
import { openResult, resultsFor } from '../results.ts'
import { auditRequest, firstForm } from '../shares/audit-form.ts'
import type { TabProps } from '../TabOf.tsx'
import { useCreditJob } from '../use-credit-job.ts'
import { concentrationBars } from './desk-tables.ts'

interface Props extends TabProps {
  readonly list: TrajectoryList
}

export function Concentration({ route, source, list }: Props) {
  const results = useAnswer('credit.results', {})
  const audits = resultsFor(results.value ?? [], 'credit-audit', source, route.rollouts).filter(
    ({ settings, status }) => settings.partition === 'turn' && status === 'finished',
  )
  const open = openResult(audits, route.result)
  const job = useCreditJob(results.refresh)
  const start = () =>
    job.start({
      source,
      ...(route.rollouts.length === 0 ? {} : { ids: [...route.rollouts] }),
      ...policyRequest(firstPolicy(list)),
      ...auditRequest({ ...firstForm(list), partition: 'turn' }),
    })
  return (
    <section aria-label="Concentration over turns">
      <h3>Concentration over turns</h3>
      {open === null ? (
        <div className={classes.offer}>
          <p>
            An audit by turn says how few of an episode’s agent turns carry its credit. It takes one backward pass a
            turn, and one for the whole.
          </p>
          <JobLine label="Audit by turn" job={job} onStart={start} />
        </div>
      ) : (
        <Read listing={open} />
      )}
    </section>
  )
}

function Read({ listing }: { readonly listing: CreditResultListing }) {
  const answer = useAnswer('credit.result', { run_id: listing.run_id })
  return (
    <Answered answer={answer} what="Reading the audit">
      {({ audit }) => {
        if (audit === null) return null
        if ('verdict' in audit) {
          return (
            <Refusal
              title="there is nothing to share out"
              reason={`${audit.reason}.`}
              numbers={audit.numbers}
              remedy={audit.remedy}
            />
          )
        }
        const turns = audit.turn_concentration
        if (turns === undefined) return null
        if ('refused' in turns) {
          return <Refusal title="no claim about turns" reason={`${turns.refused}.`} remedy={turns.remedy} />
        }
        return (
          <>
            <p className={classes.figures}>
              <span>
                as if <b>{decimal(turns.effective_turns, 2)}</b> of {decimal(turns.mean_turns, 2)} agent turns carried
                it alike
              </span>
              <span>
                the strongest turn carries <b>{percent(turns.largest_turn, 0)}</b>
              </span>
              <span>{counted(turns.rollouts, 'rollout')} of several turns</span>
            </p>
            <SignedBars
              name="turn-concentration"
              title="Credit by agent turn"
              chart={concentrationBars(turns)}
              caption="Over rollouts of several agent turns. First order: of this gradient at these parameters."
            />
          </>
        )
      }}
    </Answered>
  )
}
