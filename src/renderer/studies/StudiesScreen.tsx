/** Which studies are there, and what did the chosen one show? */
import { useState } from 'react'
import type { Bridge } from '../../shared/ipc.ts'
import { ask } from '../bridge.ts'
import { useRequest } from '../use-request.ts'
import { Status } from './Status.tsx'
import { StudyView } from './StudyView.tsx'

export function StudiesScreen({ bridge }: { readonly bridge: Bridge }) {
  const [refreshes, setRefreshes] = useState(0)
  const [chosen, setChosen] = useState<string | undefined>()
  const studies = useRequest(`list ${refreshes}`, () => ask(bridge, 'studies.list', {}))
  return (
    <div className="screen">
      <nav aria-label="Studies">
        <header>
          <h1>Studies</h1>
          <button type="button" onClick={() => setRefreshes(refreshes + 1)}>
            Refresh
          </button>
        </header>
        {studies.state === 'failed' && <p role="alert">{studies.message}</p>}
        {studies.state === 'answered' && studies.value.length === 0 && (
          <p className="quiet">
            No study yet. <code>recompense study run</code> starts one; it appears here at once.
          </p>
        )}
        {studies.state === 'answered' && (
          <ul>
            {studies.value.map((study) => (
              <li key={study.study_id}>
                <button
                  type="button"
                  aria-current={study.study_id === chosen}
                  onClick={() => setChosen(study.study_id)}
                >
                  <strong>{study.name}</strong> <Status status={study.status} />
                  <span className="quiet">
                    seed {study.seed} · {study.created_at.slice(0, 16).replace('T', ' ')}
                  </span>
                </button>
              </li>
            ))}
          </ul>
        )}
      </nav>
      <main>
        {chosen === undefined ? (
          <p className="quiet">Choose a study to see its results and its report.</p>
        ) : (
          <StudyView bridge={bridge} studyId={chosen} refreshes={refreshes} />
        )}
      </main>
    </div>
  )
}
