/** A run as documents and windows show it. */
import type { RunRecord } from '../../shared/study-document.ts'
import type { RunRow } from '../store/runs.ts'

export function runRecord(run: RunRow): RunRecord {
  return {
    run_id: run.runId,
    stage: run.stage,
    purpose: run.purpose,
    status: run.status,
    config: run.config,
    device: run.device,
    threads: run.threads,
    base_sha256: run.baseSha256,
    data_sha256: run.dataSha256,
    code_version: run.codeVersion,
    parents: run.parents,
    created_at: run.createdAt,
    started_at: run.startedAt,
    finished_at: run.finishedAt,
    updates: run.updatesDone,
    total: run.updatesTotal,
    error: run.error,
    initial_learned_sha256: run.summary?.initialSha256 ?? {},
    final_learned_sha256: run.summary?.learnedSha256 ?? {},
    trainable_parameters: run.summary?.trainableParameters ?? null,
    peak_rss_bytes: run.summary?.peakRssBytes ?? null,
    seconds: run.seconds,
  }
}
