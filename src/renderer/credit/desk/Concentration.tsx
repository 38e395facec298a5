/** The turn-concentration audit: on how few turns the gradient stands; a refusal where there are no turns to tell apart. */
import { useCallback, useRef } from 'react'
import { decimal, percent } from '../../../main/report/number-text.ts'
import type { TrajectoryList } from '../../../shared/credit.ts'
import type { TurnConcentration } from '../../../shared/turn-concentration.ts'
import { useAnswer } from '../../bridge/index.ts'
import { SignedBars } from '../../charts/index.ts'
import { Answered } from '../../parts/index.ts'
import { counted } from '../../words/index.ts'
import classes from '../credit.module.css'
import { JobLine } from '../JobLine.tsx'
import { PlainTable } from '../PlainTable.tsx'
import { firstPolicy, policyRequest } from '../PolicyFields.tsx'
import { Refusal } from '../Refusal.tsx'
import { auditRequest, firstForm } from '../shares/audit-form.ts'
import type { TabProps } from '../TabOf.tsx'
import { useCreditJob } from '../use-credit-job.ts'
import { concentrationBars, concentrationTable } from './desk-tables.ts'

interface Props extends TabProps {
  readonly list: TrajectoryList
}

export function Concentration({ route, source, list }: Props) {
  const ids = route.rollouts.length === 0 ? {} : { ids: [...route.rollouts] }
  const answer = useAnswer('credit.concentration', { source, ...ids })
  const refresh = answer.refresh
  // The audit by rollout follows the one by turn by itself.
  const next = useRef<(() => void) | null>(null)
  const job = useCreditJob(
    useCallback(() => {
      refresh()
      next.current?.()
      next.current = null
    }, [refresh]),
  )
  const audit = (partition: 'turn' | 'rollout') =>
    job.start({
      source,
      ...ids,
      ...policyRequest(firstPolicy(list)),
      ...auditRequest({ ...firstForm(list, source.kind), partition }),
    })
  const begin = (missing: readonly ('turn' | 'rollout')[]) => {
    const [first, second] = missing
    if (first === undefined) return
    next.current = second === undefined ? null : () => audit(second)
    audit(first)
  }
  return (
    <section aria-label="Concentration over turns">
      <h3>Concentration over turns</h3>
      <Answered answer={answer} what="Reading the audits">
        {({ concentration, missing }) => {
          if (concentration !== null) return <Reading read={concentration} />
          if (missing.length === 0) {
            return (
              <Refusal
                title="no claim about turns"
                reason="Every advantage is zero: there is no gradient to share out."
              />
            )
          }
          return (
            <div className={classes.offer}>
              <p>
                Two audits of one gradient, by turn and by rollout, say on how few of an episode’s agent turns it
                stands.{missing.length === 1 ? ' The one by turn is there.' : ''}
              </p>
              <JobLine label={`Audit by ${missing.join(' and by ')}`} job={job} onStart={() => begin(missing)} />
            </div>
          )
        }}
      </Answered>
    </section>
  )
}

function Reading({ read }: { readonly read: TurnConcentration }) {
  if (read.several_turns === 0) {
    return (
      <Refusal
        title="no claim about turns"
        reason="No rollout has several agent turns with credit, so the gradient has no turns to stand on."
        numbers={{ rollouts: read.rollouts, of_one_turn: read.single_turn, without_credit: read.without_credit }}
        remedy="Ask rollouts of several agent turns, such as those of the desk."
      />
    )
  }
  return (
    <>
      <p className={classes.figures}>
        <span>
          <b>{decimal(read.effective_turns, 2)}</b> effective turns of {decimal(read.mean_turns, 2)} agent turns; by
          their tokens alone {decimal(read.effective_turns_by_tokens, 2)}
        </span>
        <span>
          the strongest turn carries <b>{percent(read.top_turn_share, 0)}</b> of the norms and{' '}
          {percent(read.top_token_share, 0)} of the tokens at most
        </span>
        <span>
          {counted(read.several_turns, 'rollout')} of several turns; {read.single_turn} of one, {read.without_credit}{' '}
          without credit
        </span>
      </p>
      <SignedBars
        name="turn-concentration"
        title="Credit by agent turn"
        chart={concentrationBars(read)}
        caption="Over rollouts of several agent turns. A turn’s part of its rollout’s norms stands beside its part of the tokens: a longer turn has more to be credited for. First order: of this gradient at these parameters."
      />
      {read.by_event.length > 0 && <PlainTable name="turn-concentration-by-kind" table={concentrationTable(read)} />}
    </>
  )
}
