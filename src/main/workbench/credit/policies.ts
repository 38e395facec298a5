/** Which parameters of this home a source's rollouts can be asked about: the run's policy as it began and as it ended. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { PolicyChoice } from '../../../shared/credit.ts'
import { runFiles } from '../../../shared/stage.ts'
import { findRun, type RunRow, runFor } from '../../store/runs.ts'
import { allStudies } from '../../store/studies.ts'
import { runDir } from '../places.ts'
import type { Workbench } from '../workbench.ts'

/** @param sampledBy learned states that sampled the rollouts in view, by SHA-256 */
export function policiesOf(bench: Workbench, run: RunRow, sampledBy: ReadonlySet<string>): PolicyChoice[] {
  const matches = (hash: string | undefined) =>
    hash === undefined || sampledBy.size === 0 ? null : sampledBy.size === 1 && sampledBy.has(hash)
  const hashes = (all: Readonly<Record<string, string>> | undefined) => all?.actor ?? all?.policy
  const choices: PolicyChoice[] = []
  const end = adapterOf(bench, run)
  if (end !== null) {
    choices.push({
      name: 'the policy after the run',
      adapter: end,
      sampled: matches(hashes(run.summary?.learnedSha256)),
    })
  }
  const start = parentAdapter(bench, run, 'policy')
  if (start !== null) {
    choices.push({
      name: 'the policy before the run',
      adapter: start,
      sampled: matches(hashes(run.summary?.initialSha256)),
    })
  }
  return choices.toSorted((a, b) => Number(b.sampled === true) - Number(a.sampled === true))
}

/** Of the run itself, then those that studies of this home learned over the same base. */
export function rewardAdaptersOf(bench: Workbench, run: RunRow): { name: string; adapter: string }[] {
  const { db } = bench.store
  const own = parentAdapter(bench, run, 'reward')
  const others = allStudies(db).flatMap(({ studyId, name }) => {
    const reward = runFor(db, studyId, 'reward', 'main')
    if (reward === null || reward.baseSha256 === null || reward.baseSha256 !== run.baseSha256) return []
    const adapter = adapterOf(bench, reward)
    return adapter === null || adapter === own ? [] : [{ name: `the reward model of ${name}`, adapter }]
  })
  return [...(own === null ? [] : [{ name: 'the reward model of the run', adapter: own }]), ...others]
}

function parentAdapter(bench: Workbench, run: RunRow, role: string): string | null {
  const id = run.parents.find((parent) => parent.role === role)?.run_id
  const parent = id === undefined ? null : findRun(bench.store.db, id)
  return parent === null ? null : adapterOf(bench, parent)
}

function adapterOf(bench: Workbench, run: RunRow): string | null {
  const folder = join(runDir(bench.home, run.studyId, run.runId), runFiles.adapter)
  return existsSync(folder) ? folder : null
}
