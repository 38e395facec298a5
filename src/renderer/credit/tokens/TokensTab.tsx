/** Which token got the credit? Exact shares where they are known, else a button that computes them; any other colouring. */
import { useCallback } from 'react'
import { objectiveWords } from '../../../shared/audit-defaults.ts'
import type { TrajectoryList, TrajectoryView } from '../../../shared/credit.ts'
import type { JobRequest } from '../../../shared/ipc.ts'
import { useAnswer } from '../../bridge/index.ts'
import { Answered, Notice } from '../../parts/index.ts'
import { replace } from '../../routes/index.ts'
import { counted } from '../../words/index.ts'
import classes from '../credit.module.css'
import { JobLine } from '../JobLine.tsx'
import { useKeptMethods, useKeptSettings } from '../methods/kept-choice.ts'
import { firstPolicy, policyRequest } from '../PolicyFields.tsx'
import { readingsOf, recordedShares } from '../readings.ts'
import { openResult, resultsFor } from '../results.ts'
import { auditRequest, firstForm } from '../shares/audit-form.ts'
import { chosenOf } from '../source/source-in-view.ts'
import type { TabProps } from '../TabOf.tsx'
import { useCreditJob } from '../use-credit-job.ts'
import {
  datcQuantities,
  exactShare,
  methodQuantities,
  recordedQuantities,
  recordedShare,
  shareQuantity,
} from './quantities.ts'
import { TokensView } from './TokensView.tsx'
import { useKeptResults } from './use-kept-results.ts'

/** As many as are sent with their texts at once. */
const most = 64

export function TokensTab(props: TabProps) {
  const list = useAnswer('credit.rollouts', { source: props.source })
  return (
    <Answered answer={list} what="Reading the rollouts">
      {(listed) => <Listed {...props} list={listed} />}
    </Answered>
  )
}

interface ListedProps extends TabProps {
  readonly list: TrajectoryList
}

function Listed({ route, source, list }: ListedProps) {
  const ids = chosenOf(list.rows, route.rollouts)
    .slice(0, most)
    .map(({ id }) => id)
  const views = useAnswer('credit.trajectories', ids.length === 0 ? null : { source, ids })
  const cut = chosenOf(list.rows, route.rollouts).length - ids.length
  return (
    <>
      {cut > 0 && (
        <Notice tone="plain">
          The first {most} are shown, {counted(cut, 'more')} not; choose fewer to see others.
        </Notice>
      )}
      <Answered answer={views} what="Reading the tokens">
        {(read) => <Coloured route={route} source={source} list={list} views={read} />}
      </Answered>
    </>
  )
}

interface ColouredProps extends ListedProps {
  readonly views: readonly TrajectoryView[]
}

function Coloured({ route, source, list, views }: ColouredProps) {
  const results = useAnswer('credit.results', {})
  const known = results.value ?? []
  const audits = resultsFor(known, 'credit-audit', source, route.rollouts).filter(
    ({ settings }) => settings.partition === 'token',
  )
  const datcs = resultsFor(known, 'credit-datc', source, route.rollouts)
  const { audit, asked, datc } = useKeptResults(openResult(audits, route.result), openResult(datcs, route.result))
  const lines = useAnswer('credit.recorded', source.kind === 'run' ? { run_id: source.run_id } : null)
  const recorded = recordedShares(readingsOf(lines.value ?? [], source))
  const methods = useMethodAdvantages({ route, source, list })
  const show = useCallback((result: string) => replace({ ...route, source, result }), [route, source])
  const job = useCreditJob(show)
  const compute = () => {
    const idsOf = route.rollouts.length === 0 ? {} : { ids: [...route.rollouts] }
    const request: JobRequest = {
      source,
      ...idsOf,
      ...policyRequest(firstPolicy(list)),
      ...auditRequest({ ...firstForm(list, source.kind), partition: 'token' }),
    }
    job.start(request)
  }
  const quantities = [
    ...(recorded === null ? [] : [recordedShare(views, recorded)]),
    ...(audit === null ? [] : [shareQuantity(audit, asked, recorded !== null)]),
    ...recordedQuantities(views),
    ...methodQuantities(methods),
    ...(datc === null ? [] : datcQuantities(views, datc.rows)),
  ]
  return (
    <>
      {audit === null && recorded === null && (
        <div className={classes.offer}>
          <p>
            Exact shares of every token, which add up to one, take one backward pass and one forward-mode pass
            {list.policies[0] === undefined ? '' : `, at the parameters of ${list.policies[0].name}`}, of J ={' '}
            {objectiveWords[firstForm(list, source.kind).reduction]}. The Shares tab asks in detail.
          </p>
          <JobLine label="Compute exact shares" job={job} onStart={compute} />
        </div>
      )}
      <TokensView
        key={views.map(({ trajectory }) => trajectory.id).join()}
        views={views}
        quantities={quantities}
        preferred={audit === null && recorded === null ? 'advantages' : exactShare}
      />
    </>
  )
}

/** Advantages of the methods that were last compared, as they were set there. */
function useMethodAdvantages({ route, source }: ListedProps) {
  const [methods] = useKeptMethods()
  const [settings] = useKeptSettings()
  const ids = route.rollouts.length === 0 ? {} : { ids: [...route.rollouts] }
  const answer = useAnswer(
    'credit.compare',
    methods.length === 0 ? null : { source, ...ids, methods: [...methods], settings },
  )
  return answer.value?.comparison ?? null
}
