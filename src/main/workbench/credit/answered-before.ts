/** Whether this home has answered exactly this question: a finished run of the same inputs and settings. */
import type { RunId } from '../../../shared/ids.ts'
import { canonicalJson } from '../../store/json.ts'
import { runsWithoutStudy } from '../../store/runs.ts'
import { sha256 } from '../files-on-disk.ts'
import type { RunSpec } from '../prepare-run.ts'
import type { Workbench } from '../workbench.ts'

/** The same inputs, parameters and settings on the same device give the same document. */
export function answeredBefore(bench: Workbench, spec: RunSpec): RunId | null {
  const wanted = canonicalJson(spec.settings)
  const data = canonicalJson(
    Object.fromEntries(Object.entries(spec.inputs).map(([name, content]) => [name, sha256(content)])),
  )
  const same = runsWithoutStudy(bench.store.db).find(
    (run) =>
      run.status === 'finished' &&
      run.stage === spec.stage &&
      run.threads === spec.threads &&
      canonicalJson(run.config) === wanted &&
      canonicalJson(run.dataSha256) === data,
  )
  return same?.runId ?? null
}
