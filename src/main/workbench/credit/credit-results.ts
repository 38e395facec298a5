/** What was computed about rollouts and kept: each is a run with one document in its folder. */
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { BadInput } from '../../../shared/bad-input.ts'
import type { CreditResult, CreditResultListing, DatcReading } from '../../../shared/credit.ts'
import { type CreditAudit, otherPolicyFrom, type RefusedAudit } from '../../../shared/credit-audit.ts'
import type { CreditSource } from '../../../shared/credit-requests.ts'
import { runFiles } from '../../../shared/stage.ts'
import { findRun, type RunRow, runsWithoutStudy } from '../../store/runs.ts'
import { runDir } from '../places.ts'
import type { Workbench } from '../workbench.ts'
import { modelOfRun } from './model-of-run.ts'
import { hasSampled, policyAsked } from './policies.ts'
import { trajectoriesOfRun } from './trajectories-of-run.ts'

type Kind = CreditResultListing['kind']
const isKind = (stage: string): stage is Kind => stage === 'credit-audit' || stage === 'credit-datc'

/** Newest first. */
export function creditResults(bench: Workbench): CreditResultListing[] {
  return runsWithoutStudy(bench.store.db).flatMap((run) => (isKind(run.stage) ? [listing(bench, run, run.stage)] : []))
}

/** Throws `BadInput` when there is no such result, or its document is missing. */
export function creditResult(bench: Workbench, runId: string): CreditResult {
  const run = findRun(bench.store.db, runId)
  if (run === null || !isKind(run.stage)) throw new BadInput(runId, 'is no credit result of this home')
  const read = <T>(file: string): T | null => {
    if (run.status !== 'finished') return null
    const path = join(runDir(bench.home, run.studyId, run.runId), file)
    if (!existsSync(path)) throw new BadInput(path, 'is missing; compute it again')
    return JSON.parse(readFileSync(path, 'utf8')) as T
  }
  const listed = listing(bench, run, run.stage)
  const model = modelOfRun(bench, run)
  const audit = run.stage === 'credit-audit' ? read<CreditAudit | RefusedAudit>(runFiles.audit) : null
  return {
    listing: listed,
    model: model === null ? null : basename(model),
    sampled: sampledByPolicy(bench, listed) ?? (audit === null ? null : sampledByGap(audit)),
    audit,
    datc: run.stage === 'credit-datc' ? read<DatcReading>(runFiles.datc) : null,
  }
}

/** Of a run's rollouts, which record who sampled them; null for a file's, or where the run is gone. */
export function sampledByPolicy(bench: Workbench, { source, ids, policy_sha256: hash }: CreditResultListing) {
  if (source.kind !== 'run' || findRun(bench.store.db, source.run_id) === null) return null
  const wanted = ids === null ? null : new Set(ids)
  const rows = trajectoriesOfRun(bench, source.run_id, source.iterations)
  const read = rows.filter(({ id }) => wanted === null || wanted.has(id))
  return hasSampled(hash, new Set(read.map(({ policy_sha256 }) => policy_sha256)))
}

/** By the log-probabilities that were recorded at sampling; null where there are none, or rounding hides the difference. */
export function sampledByGap({ sampling_gap: gap, dtype }: CreditAudit | RefusedAudit): boolean | null {
  return gap === undefined || dtype === 'bfloat16' ? null : gap.mean < otherPolicyFrom
}

/** What identifies the question stands apart from how it was asked. */
const identity = new Set([
  'source',
  'source_name',
  'ids',
  'rollouts',
  'model_files',
  'adapter_sha256',
  'reward_adapter_sha256',
])

function listing(bench: Workbench, run: RunRow, kind: Kind): CreditResultListing {
  const { source, source_name, ids, rollouts } = run.config as {
    source: CreditSource
    source_name: string
    ids: readonly string[] | null
    rollouts: number
  }
  return {
    run_id: run.runId,
    kind,
    status: run.status,
    error: run.error,
    created_at: run.createdAt,
    source,
    source_name,
    ids,
    rollouts,
    settings: Object.fromEntries(Object.entries(run.config).filter(([name]) => !identity.has(name))),
    policy_sha256: run.summary?.learnedSha256.policy ?? null,
    policy: policyAsked(bench, run),
    seconds: run.seconds.active ?? 0,
  }
}
