/** Where a run's numbers come from, one fact a row. */
import { utc } from '../../main/report/number-text.ts'
import type { RunView } from '../../shared/ipc.ts'

export interface ProvenanceRow {
  readonly name: string
  readonly value: string
  readonly kind: 'text' | 'hash' | 'run'
}

export function provenanceRows({ run, study_id: study, preset }: RunView): ProvenanceRow[] {
  const text = (name: string, value: string | number | null | undefined): ProvenanceRow[] =>
    value === null || value === undefined ? [] : [{ name, value: String(value), kind: 'text' }]
  const hashes = (name: (key: string) => string, of: Readonly<Record<string, string>>): ProvenanceRow[] =>
    Object.entries(of).map(([key, value]) => ({ name: name(key), value, kind: 'hash' }))
  const seed = run.config.seed
  return [
    ...text('run', run.run_id),
    ...text('stage', run.stage),
    ...text('purpose', run.purpose),
    ...text('study', study),
    ...text('preset', preset),
    ...text('code version', run.code_version),
    ...text('device', run.device),
    ...text('threads', run.threads),
    ...text('seed', typeof seed === 'number' ? seed : null),
    ...text('created', utc(run.created_at)),
    ...text('started', run.started_at === null ? null : utc(run.started_at)),
    ...text('finished', run.finished_at === null ? null : utc(run.finished_at)),
    ...run.parents.map(({ role, run_id }) => ({ name: `parent: ${role}`, value: run_id, kind: 'run' as const })),
    ...(run.base_sha256 === null ? [] : [{ name: 'base model', value: run.base_sha256, kind: 'hash' as const }]),
    ...hashes((key) => `data: ${key}`, run.data_sha256),
    ...hashes((key) => `at the start: ${key}`, run.initial_learned_sha256),
    ...hashes((key) => `at the end: ${key}`, run.final_learned_sha256),
  ]
}
