/** One study: its stages, its headline figures, and its report in a frame that can run nothing. */

import { headlines } from '../../shared/headlines.ts'
import type { Bridge } from '../../shared/ipc.ts'
import type { StudyDocument } from '../../shared/study-document.ts'
import { ask } from '../bridge.ts'
import { useRequest } from '../use-request.ts'
import { Status } from './Status.tsx'

interface Props {
  readonly bridge: Bridge
  readonly studyId: string
  readonly refreshes: number
}

export function StudyView({ bridge, studyId, refreshes }: Props) {
  const answer = useRequest(`${studyId} ${refreshes}`, () => ask(bridge, 'studies.show', { study_id: studyId }))
  if (answer.state === 'waiting') return <p className="quiet">Reading…</p>
  if (answer.state === 'failed') return <p role="alert">{answer.message}</p>
  const { study, report_url: reportUrl } = answer.value
  return (
    <article>
      <header>
        <h2>{study.name}</h2>
        <Status status={study.status} />
        <code className="quiet">{study.study_id}</code>
      </header>
      {study.error !== null && <p role="alert">{study.error.message}</p>}
      <Stages study={study} />
      <dl className="headlines">
        {headlines(study.results).map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {reportUrl === null ? (
        <p className="quiet">The report appears here when the study has written one.</p>
      ) : (
        <iframe title={`Report of ${study.name}`} src={reportUrl} sandbox="" />
      )}
    </article>
  )
}

function Stages({ study }: { readonly study: StudyDocument }) {
  return (
    <table>
      <thead>
        <tr>
          <th>stage</th>
          <th>status</th>
          <th className="number">updates</th>
          <th className="number">seconds</th>
        </tr>
      </thead>
      <tbody>
        {study.stages.map((stage) => (
          <tr key={stage.name}>
            <td>{stage.name}</td>
            <td>
              <Status status={stage.status} />
            </td>
            <td className="number">{stage.updates}</td>
            <td className="number">{stage.seconds.toFixed(1)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
