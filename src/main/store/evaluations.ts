/** Tables `branches` and `evaluations`: what each policy said on the held-out prompts, and the verdicts on it. */
import type { RunId, StudyId } from '../../shared/ids.ts'
import { type BranchName, type BranchResult, branchNames, type EvaluationRow } from '../../shared/study-results.ts'
import { decodeIds, encodeIds } from './blobs.ts'
import { assertFinite, decodeJson, encodeJson } from './json.ts'
import type { Db } from './open-store.ts'

type Columns = Omit<EvaluationRow, 'token_ids' | 'rubric'> & { readonly token_ids: Uint8Array; readonly rubric: string }

/** Replaces what is stored of this branch, in one transaction. Throws on a non-finite number, naming its place. */
export function saveBranch(db: Db, studyId: StudyId, branch: BranchName, runId: RunId, result: BranchResult): void {
  db.transaction(() => {
    db.prepare('DELETE FROM branches WHERE study_id = ? AND branch = ?').run(studyId, branch)
    db.prepare(
      `INSERT INTO branches (study_id, branch, run_id, metrics, repeated_probe_contexts_verified, actor_sha256)
       VALUES (?, ?, ?, ?, ?, ?)`,
    ).run(
      studyId,
      branch,
      runId,
      encodeJson(result.metrics),
      result.repeated_probe_contexts_verified ? 1 : 0,
      result.actor_sha256,
    )
    result.rows.forEach((row, position) => {
      insertRow(db, studyId, branch, position, row)
    })
  })()
}

function insertRow(db: Db, studyId: StudyId, branch: BranchName, position: number, row: EvaluationRow): void {
  assertFinite(row, `${branch} row ${row.document_id}`)
  db.prepare(
    `INSERT INTO evaluations (study_id, branch, position, document_id, family, split, prompt, text, token_ids,
       finish_reason, response_tokens, learned_reward_score, sampled_actor_reference_logratio, rubric)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    studyId,
    branch,
    position,
    row.document_id,
    row.family,
    row.split,
    row.prompt,
    row.text,
    encodeIds(row.token_ids, 'token_ids'),
    row.finish_reason,
    row.response_tokens,
    row.learned_reward_score,
    row.sampled_actor_reference_logratio,
    encodeJson(row.rubric),
  )
}

/** Null until all three branches are stored. */
export function branchesOf(db: Db, studyId: StudyId): Record<BranchName, BranchResult> | null {
  const found: Partial<Record<BranchName, BranchResult>> = {}
  for (const branch of branchNames) {
    const result = branchOf(db, studyId, branch)
    if (result === null) return null
    found[branch] = result
  }
  return found as Record<BranchName, BranchResult>
}

export function branchOf(db: Db, studyId: StudyId, branch: BranchName): BranchResult | null {
  const head = db
    .prepare(
      `SELECT metrics, repeated_probe_contexts_verified AS verified, actor_sha256
       FROM branches WHERE study_id = ? AND branch = ?`,
    )
    .get(studyId, branch) as { metrics: string; verified: number; actor_sha256: string } | undefined
  if (head === undefined) return null
  const rows = db
    .prepare(
      `SELECT document_id, family, split, prompt, text, token_ids, finish_reason, response_tokens,
         learned_reward_score, sampled_actor_reference_logratio, rubric
       FROM evaluations WHERE study_id = ? AND branch = ? ORDER BY position`,
    )
    .all(studyId, branch) as Columns[]
  return {
    metrics: decodeJson(head.metrics),
    rows: rows.map((row) => ({ ...row, token_ids: decodeIds(row.token_ids), rubric: decodeJson(row.rubric) })),
    repeated_probe_contexts_verified: head.verified === 1,
    actor_sha256: head.actor_sha256,
  }
}
