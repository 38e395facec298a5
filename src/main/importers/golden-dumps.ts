/** Where the dumps lie that tests read, and how to read one; the scripts that made them lie beside them. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { ImportedRow, RolloutSource } from './rollout-row.ts'

const root = resolve(import.meta.dirname, '../../../test/golden/importers')

export const dump = (...path: string[]): string => join(root, ...path)

export interface ExpectedRow {
  readonly group: number
  readonly prompt: readonly number[]
  readonly response: readonly number[]
  readonly mask: readonly number[]
  readonly logprobs: readonly number[]
  readonly ref_logprobs: readonly number[]
  readonly values: readonly number[] | null
  readonly rewards: readonly number[]
  readonly returns: readonly number[]
}

export interface ExpectedDump {
  readonly estimator: 'gae' | 'reinforce++' | 'grpo' | 'rloo'
  readonly gamma: number
  readonly lambda: number
  readonly avg_final_rewards: number
  readonly rows: readonly ExpectedRow[]
}

export const expectedDumps = (): Readonly<Record<string, ExpectedDump>> =>
  JSON.parse(readFileSync(dump('skyrl', 'expected.json'), 'utf8'))

export async function allRows(source: RolloutSource): Promise<ImportedRow[]> {
  const rows: ImportedRow[] = []
  for await (const row of source.rows()) rows.push(row)
  return rows
}
