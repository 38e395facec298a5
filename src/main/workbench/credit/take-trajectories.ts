/** Takes rollouts of any known format into the home: imported as the command line does, kept by the hash of their rows. */
import { rmSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { ImportFormat, KeptTrajectories } from '../../../shared/credit.ts'
import type { Workbench } from '../workbench.ts'
import { importRollouts } from './import-rollouts.ts'
import { keepTrajectories, unkeptFile } from './kept-trajectories.ts'

export interface TakeRequest {
  readonly format: ImportFormat
  readonly file: string
  readonly tokenizer?: string | undefined
}

/** Throws `BadInput` naming the file, row and field that cannot be used; nothing is kept then. */
export async function takeTrajectories(bench: Workbench, request: TakeRequest): Promise<KeptTrajectories> {
  const path = resolve(request.file)
  const tokenizer = request.tokenizer === undefined ? null : resolve(request.tokenizer)
  const out = unkeptFile(bench.home)
  try {
    const report = await importRollouts({
      format: request.format,
      path,
      out,
      ...(tokenizer === null ? {} : { tokenizer }),
    })
    return keepTrajectories(bench.home, out, {
      name: basename(path),
      format: request.format,
      kept_at: bench.now().toISOString(),
      rows: report.rows,
      groups: report.groups,
      fields_found: report.fields_found,
      fields_absent: report.fields_absent,
      tokenizer,
      remarks: [...report.warnings, ...report.notes],
    })
  } catch (error) {
    rmSync(out, { force: true })
    throw error
  }
}
