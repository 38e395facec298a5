/** Takes a trajectory file of the user's into the home: read whole first, kept by its hash, with a note of what it has. */
import { copyFileSync, rmSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { BadInput } from '../../../shared/bad-input.ts'
import type { ImportFormat, KeptTrajectories } from '../../../shared/credit.ts'
import { type Trajectory, tokenFields } from '../../../shared/trajectory.ts'
import { readTrajectories } from '../../rows/read-trajectories.ts'
import type { Workbench } from '../workbench.ts'
import { keepTrajectories, unkeptFile } from './kept-trajectories.ts'

export interface TakeRequest {
  readonly format: ImportFormat
  readonly file: string
  readonly tokenizer?: string | undefined
}

/** Throws `BadInput` naming the file, row and field that cannot be used; nothing is kept then. */
export async function takeTrajectories(bench: Workbench, request: TakeRequest): Promise<KeptTrajectories> {
  const file = resolve(request.file)
  if (request.format !== 'trajectories') throw new BadInput(request.format, 'is not a format that can be read yet')
  const rows = (await readTrajectories(file)).map(({ row }) => row)
  const copy = unkeptFile(bench.home)
  try {
    copyFileSync(file, copy)
    return keepTrajectories(bench.home, copy, {
      name: basename(file),
      format: request.format,
      kept_at: bench.now().toISOString(),
      rows: rows.length,
      groups: new Set(rows.map(({ group }) => group)).size,
      ...fieldsOf(rows),
      tokenizer: request.tokenizer === undefined ? null : resolve(request.tokenizer),
      remarks: [],
    })
  } catch (error) {
    rmSync(copy, { force: true })
    throw error
  }
}

/** Found where any turn has it. */
export function fieldsOf(rows: readonly Trajectory[]): { fields_found: string[]; fields_absent: string[] } {
  const names = ['token_ids', ...tokenFields, 'state_key', 'segment', 'option']
  const has = (name: string) => rows.some((row) => row.turns.some((turn) => Object.hasOwn(turn, name)))
  return { fields_found: names.filter(has), fields_absent: names.filter((name) => !has(name)) }
}
