/** Which rows of a SkyRL batch are real, which prompt each belongs to, and which are steps of one rollout. */
import { createHash } from 'node:crypto'
import { BadInput } from '../../../shared/bad-input.ts'
import { kindOf, type PickleValue, sequence } from './pickle-values.ts'
import type { TrainingBatch } from './training-batch.ts'

export interface BatchGroups {
  /** Rows that are no padding; padding stands at the end. */
  readonly rows: number
  /** Number of the group of each row, from 0 on. */
  readonly groupOf: readonly number[]
  readonly from: 'policy_prompt_boundaries' | 'prompts'
  /** Of each row; null where every row is a whole rollout. */
  readonly lastStep: readonly boolean[] | null
}

/** @param promptOf token ids of a row's prompt, read only where the dump does not say where prompts change */
export function batchGroups(
  file: string,
  { rows: all, metadata }: TrainingBatch,
  promptOf: (row: number) => readonly number[],
): BatchGroups {
  const padding = metadata.get('pad_size') ?? 0
  if (typeof padding !== 'number' || !Number.isSafeInteger(padding) || padding < 0 || padding > all)
    throw new BadInput(file, `has a pad_size of ${number(padding)} for ${all} rows`, 'metadata')
  const rows = all - padding
  if (rows === 0) throw new BadInput(file, 'holds no rollout: all its rows are padding')
  const lastStep = lastSteps(file, metadata.get('is_last_step'), rows)
  const boundaries = metadata.get('policy_prompt_boundaries')
  return boundaries === undefined || boundaries === null
    ? { rows, groupOf: byPrompt(rows, promptOf), from: 'prompts', lastStep }
    : { rows, groupOf: byBoundaries(file, boundaries, rows), from: 'policy_prompt_boundaries', lastStep }
}

/** `[(start, end), …]`, one after the other, over every row that is no padding. */
function byBoundaries(file: string, value: PickleValue, rows: number): number[] {
  const groupOf: number[] = []
  const refuse = (problem: string): never => {
    throw new BadInput(file, problem, 'metadata policy_prompt_boundaries')
  }
  for (const [group, pair] of (
    sequence(value) ?? refuse(`is ${kindOf(value)}, not a list of (start, end)`)
  ).entries()) {
    const [start, end] = sequence(pair) ?? []
    if (start !== groupOf.length || typeof end !== 'number' || !Number.isSafeInteger(end) || end <= start || end > rows)
      refuse(
        `group ${group} runs from ${number(start)} to ${number(end)}, expected is one from ${groupOf.length} to at most ${rows}`,
      )
    while (groupOf.length < (end as number)) groupOf.push(group)
  }
  if (groupOf.length !== rows) refuse(`covers ${groupOf.length} of ${rows} rows`)
  return groupOf
}

function byPrompt(rows: number, promptOf: (row: number) => readonly number[]): number[] {
  const groups = new Map<string, number>()
  return Array.from({ length: rows }, (_, row) => {
    const key = createHash('sha256')
      .update(Float64Array.from(promptOf(row)))
      .digest('base64')
    const group = groups.get(key) ?? groups.size
    groups.set(key, group)
    return group
  })
}

function lastSteps(file: string, value: PickleValue | undefined, rows: number): readonly boolean[] | null {
  if (value === undefined || value === null) return null
  const list = sequence(value)?.slice(0, rows)
  if (list?.length !== rows || !list.every((last) => typeof last === 'boolean'))
    throw new BadInput(file, 'is not one true or false a row', 'metadata is_last_step')
  return list.every((last) => last) ? null : (list as boolean[])
}

const number = (value: PickleValue | undefined) => (typeof value === 'number' ? String(value) : kindOf(value))
