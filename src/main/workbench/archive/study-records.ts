/** The store's rows of one study as plain data, and back: what an export holds besides files. */
import { z } from 'zod'
import { BadInput } from '../../../shared/bad-input.ts'
import { isRunId, type StudyId } from '../../../shared/ids.ts'
import { studyConfigSchema } from '../../../shared/training-config.ts'
import type { Db } from '../../store/open-store.ts'

/** Every table that holds rows of a study, parents before children, and how its rows are found. */
const tables = [
  ['studies', 'study_id = ?'],
  ['stages', 'study_id = ?'],
  ['runs', 'study_id = ?'],
  ['run_parents', 'run_id IN (SELECT run_id FROM runs WHERE study_id = ?)'],
  ['updates', 'run_id IN (SELECT run_id FROM runs WHERE study_id = ?)'],
  ['validations', 'run_id IN (SELECT run_id FROM runs WHERE study_id = ?)'],
  ['rollouts', 'run_id IN (SELECT run_id FROM runs WHERE study_id = ?)'],
  ['observations', 'run_id IN (SELECT run_id FROM runs WHERE study_id = ?)'],
  ['branches', 'study_id = ?'],
  ['evaluations', 'study_id = ?'],
  ['reward_pairs', 'study_id = ?'],
  ['probes', 'study_id = ?'],
  ['summaries', 'study_id = ?'],
  ['artifacts', 'owner_id = ?'],
  ['facts', 'study_id = ?'],
  ['resume_checks', 'study_id = ?'],
  ['provenance', 'study_id = ?'],
] as const

const cellSchema = z.union([z.string(), z.number(), z.null(), z.strictObject({ bytes: z.base64() })])
const recordsSchema = z.record(
  z.string(),
  z.strictObject({ columns: z.array(z.string()), rows: z.array(z.array(cellSchema)) }),
)
export type StudyRecords = z.infer<typeof recordsSchema>

/** Processes and absolute paths belong to a machine, not to a study. */
const machineColumns = new Set(['owner', 'stage_process'])

export function readRecords(db: Db, studyId: StudyId, modelName: string, reportFiles: readonly string[]): StudyRecords {
  const ours: Record<string, string> = { model_dir: modelName, report_files: JSON.stringify(reportFiles) }
  const cell = (column: string, value: unknown) => {
    if (machineColumns.has(column)) return null
    if (Object.hasOwn(ours, column)) return ours[column] ?? null
    return value instanceof Uint8Array
      ? { bytes: Buffer.from(value).toString('base64') }
      : (value as string | number | null)
  }
  return Object.fromEntries(
    tables.map(([table, condition]) => {
      const columns = columnsOf(db, table)
      const found = db
        .prepare(`SELECT ${columns.join(', ')} FROM ${table} WHERE ${condition} ORDER BY rowid`)
        .raw()
        .all(studyId)
      const rows = (found as unknown[][]).map((row) => row.map((value, index) => cell(columns[index] ?? '', value)))
      return [table, { columns, rows }]
    }),
  )
}

function columnsOf(db: Db, table: string): string[] {
  return (db.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name)
}

/** Throws `BadInput` when the text is not the records of exactly this study. */
export function parseRecords(text: string, studyId: StudyId, source: string): StudyRecords {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw new BadInput(source, 'is not JSON', 'records.json')
  }
  const result = recordsSchema.safeParse(parsed)
  if (!result.success) throw new BadInput(source, 'does not hold records of a study', 'records.json')
  const records = result.data
  const wrong = (problem: string, table: string) => new BadInput(source, problem, `records.json, ${table}`)
  for (const table of Object.keys(records)) {
    if (!tables.some(([known]) => known === table)) throw wrong('holds an unknown table', table)
  }
  const study = records.studies
  if (study?.rows.length !== 1) throw wrong('must hold exactly one study', 'studies')
  for (const [table, { columns, rows }] of Object.entries(records)) {
    requireOwn(columns, rows, studyId, (problem) => wrong(problem, table))
  }
  const config = study.rows[0]?.[study.columns.indexOf('config')]
  if (typeof config !== 'string' || !studyConfigSchema.safeParse(jsonOrNull(config)).success) {
    throw wrong('has no valid configuration', 'studies')
  }
  return records
}

/** Rows may speak of this study only, and of runs by proper ids: paths are made from them. */
function requireOwn(
  columns: readonly string[],
  rows: StudyRecords[string]['rows'],
  studyId: StudyId,
  fault: (problem: string) => BadInput,
): void {
  for (const row of rows) {
    if (row.length !== columns.length) throw fault('has a row of another length than its columns')
    columns.forEach((column, index) => {
      const value = row[index]
      if ((column === 'study_id' || column === 'owner_id') && value !== studyId) throw fault('speaks of another study')
      const isRun = column === 'run_id' || column === 'parent_run_id'
      if (isRun && value !== null && !(typeof value === 'string' && isRunId(value)))
        throw fault('has an unusable run id')
    })
  }
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Call inside a transaction. Throws `BadInput` when a column is not this version's, or a row breaks the schema. */
export function insertRecords(db: Db, records: StudyRecords, source: string): void {
  db.pragma('defer_foreign_keys = ON')
  for (const [table] of tables) {
    const content = records[table]
    if (content === undefined) continue
    const known = new Set(columnsOf(db, table))
    const unknown = content.columns.find((column) => !known.has(column))
    if (unknown !== undefined) throw new BadInput(source, `has an unknown column ${unknown}`, `records.json, ${table}`)
    const marks = content.columns.map(() => '?').join(', ')
    const insert = db.prepare(`INSERT INTO ${table} (${content.columns.join(', ')}) VALUES (${marks})`)
    for (const row of content.rows) {
      try {
        insert.run(
          row.map((value) =>
            typeof value === 'object' && value !== null ? Buffer.from(value.bytes, 'base64') : value,
          ),
        )
      } catch (error) {
        if (!String((error as { code?: string }).code).startsWith('SQLITE_CONSTRAINT')) throw error
        throw new BadInput(source, (error as Error).message, `records.json, ${table}`)
      }
    }
  }
}
