/** Which parameters of this home a source's rollouts can be asked about: the run's policy as it began and as it ended. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { PolicyChoice } from '../../../shared/credit.ts'
import type { CreditSource } from '../../../shared/credit-requests.ts'
import { runFiles } from '../../../shared/stage.ts'
import { findRun, type RunRow, runFor } from '../../store/runs.ts'
import { allStudies } from '../../store/studies.ts'
import { runDir } from '../places.ts'
import type { Workbench } from '../workbench.ts'

/** @param sampledBy learned states that sampled the rollouts in view, by SHA-256 */
export function policiesOf(bench: Workbench, run: RunRow, sampledBy: ReadonlySet<string>): PolicyChoice[] {
  const matches = (hash: string | undefined) => (hash === undefined ? null : hasSampled(hash, sampledBy))
  const choices: PolicyChoice[] = []
  const end = adapterOf(bench, run)
  if (end !== null) {
    choices.push({
      name: afterRun,
      adapter: end,
      sampled: matches(learnedPolicy(run.summary?.learnedSha256)),
    })
  }
  const start = parentAdapter(bench, run, 'policy')
  if (start !== null) {
    choices.push({
      name: beforeRun,
      adapter: start,
      sampled: matches(learnedPolicy(run.summary?.initialSha256)),
    })
  }
  return choices.toSorted((a, b) => Number(b.sampled === true) - Number(a.sampled === true))
}

/** What the parameters of a credit result are called: those of the run whose rollouts they read, where they are its own. */
export function policyAsked({ store: { db } }: Workbench, result: RunRow): string {
  const { source, adapter_sha256: adapter } = result.config as {
    readonly source: CreditSource
    readonly adapter_sha256?: string
  }
  if (adapter === undefined)
    return result.stage === 'credit-audit' ? 'the base model, in a fresh adapter' : 'the base model'
  const hash = result.summary?.learnedSha256.policy
  const run = source.kind === 'run' ? findRun(db, source.run_id) : null
  if (run === null || hash === undefined) return 'an adapter of its own'
  if (hash === learnedPolicy(run.summary?.learnedSha256)) return afterRun
  if (hash === learnedPolicy(run.summary?.initialSha256)) return beforeRun
  return 'an adapter of another run'
}

/**
 * @param policy learned state by SHA-256; null for none, whose likeness to others no hash tells
 * @param sampledBy the learned states that sampled the rollouts; empty where none is recorded
 */
export function hasSampled(policy: string | null, sampledBy: ReadonlySet<string>): boolean | null {
  if (policy === null || sampledBy.size === 0) return null
  return sampledBy.size === 1 && sampledBy.has(policy)
}

const afterRun = 'the policy after the run'
const beforeRun = 'the policy before the run'
const learnedPolicy = (all: Readonly<Record<string, string>> | undefined) => all?.actor ?? all?.policy

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
