/** Where every number comes from: code, machine, base model, data, seeds, and which run started from which. */
import type { StudyDocument } from '../../../shared/study-document.ts'
import { bytes, integer, utc } from '../number-text.ts'
import { type Block, type Cell, code, counted, type Row, type Section, written } from '../section.ts'

export function provenanceSection(document: StudyDocument): Section {
  const { model } = document
  const facts: readonly (readonly [string, Cell])[] = [
    ['study', document.study_id],
    ['created', utc(document.created_at)],
    ['finished', utc(document.finished_at)],
    ['code version', document.code_version],
    ['configuration SHA-256', code(document.config_sha256)],
    ['seed', written(document.seed, String(document.seed))],
    ['device', document.device_reason === null ? document.device : `${document.device} (${document.device_reason})`],
    ['threads', counted(document.threads)],
    ['base model', model.folder],
    ['base SHA-256', model.base_sha256 === null ? '—' : code(model.base_sha256)],
    ...Object.entries(model.files).map(([name, sha]) => [`base file ${name}`, code(sha)] as const),
    ...Object.entries(document.provenance).map(([name, value]) => [name.replaceAll('_', ' '), plain(value)] as const),
  ]
  const blocks: Block[] = [
    {
      kind: 'table',
      table: {
        id: 'table-provenance',
        caption: 'Provenance of the study',
        columns: [{ label: 'Fact' }, { label: 'Value' }],
        rows: facts.map(([name, value]): Row => ({ cells: [name, value] })),
      },
    },
  ]
  if (document.runs.length > 0)
    blocks.push(
      {
        kind: 'table',
        table: {
          id: 'table-runs',
          caption: 'Runs and the runs they start from',
          columns: [
            { label: 'Run' },
            { label: 'Stage' },
            { label: 'Purpose' },
            { label: 'Status' },
            { label: 'Parents' },
            { label: 'Updates', numeric: true },
            { label: 'Trainable parameters', numeric: true },
            { label: 'Peak memory', numeric: true },
            { label: 'Device, threads' },
          ],
          rows: document.runs.map((run) => ({
            cells: [
              run.run_id,
              run.stage,
              run.purpose,
              run.error === null ? run.status : `${run.status}: ${run.error}`,
              run.parents.map((parent) => `${parent.role}: ${parent.run_id}`).join(', ') || '—',
              run.total === 0 ? '—' : written(run.updates, `${integer(run.updates)} / ${integer(run.total)}`),
              written(run.trainable_parameters, integer(run.trainable_parameters)),
              written(run.peak_rss_bytes, bytes(run.peak_rss_bytes)),
              `${run.device}, ${run.threads}`,
            ],
          })),
        },
      },
      {
        kind: 'details',
        summary: 'Data each run was given, by SHA-256',
        blocks: [
          {
            kind: 'table',
            table: {
              id: 'table-run-inputs',
              caption: 'Inputs of the runs by SHA-256',
              columns: [{ label: 'Run' }, { label: 'Input' }, { label: 'SHA-256' }],
              rows: document.runs.flatMap((run) =>
                Object.entries(run.data_sha256).map(([name, sha]) => ({ cells: [run.run_id, name, code(sha)] })),
              ),
            },
          },
        ],
      },
    )
  if (document.artifacts.length > 0)
    blocks.push({
      kind: 'details',
      summary: `Artefacts by SHA-256 (${integer(document.artifacts.length)})`,
      blocks: [
        {
          kind: 'table',
          table: {
            id: 'table-artefacts',
            caption: 'Artefacts of the study by SHA-256',
            columns: [{ label: 'Path' }, { label: 'Kind' }, { label: 'Size', numeric: true }, { label: 'SHA-256' }],
            rows: document.artifacts.map((artifact) => ({
              cells: [
                artifact.path,
                artifact.kind,
                written(artifact.bytes, bytes(artifact.bytes)),
                code(artifact.sha256),
              ],
            })),
          },
        },
      ],
    })
  return {
    id: 'provenance',
    title: 'Provenance',
    question: 'Where does every number come from?',
    blocks,
    data: {
      study_id: document.study_id,
      created_at: document.created_at,
      finished_at: document.finished_at,
      code_version: document.code_version,
      config_sha256: document.config_sha256,
      seed: document.seed,
      device: document.device,
      device_reason: document.device_reason,
      threads: document.threads,
      model,
      facts: document.provenance,
      runs: document.runs,
      artifacts: document.artifacts,
    },
  }
}

function plain(value: string | number | boolean | null): Cell {
  if (typeof value === 'number') return written(value, String(value))
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (value === null) return '—'
  return /^[0-9a-f]{40,64}$/.test(value) ? code(value) : value
}
