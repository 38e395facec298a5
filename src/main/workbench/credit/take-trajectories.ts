/** Takes rollouts of any known format into the home: imported as the command line does, kept by the hash of their rows. */
import { existsSync, realpathSync, rmSync } from 'node:fs'
import { basename, relative, resolve } from 'node:path'
import { BadInput } from '../../../shared/bad-input.ts'
import type { ImportFormat, KeptTrajectories } from '../../../shared/credit.ts'
import { trajectoriesDir } from '../places.ts'
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
    throw told(error, bench.home, path, out)
  }
}

/** The user never chose the name that the copy has until its rows have a hash. */
function told(error: unknown, home: string, path: string, out: string): unknown {
  if (!(error instanceof BadInput) || error.subject !== out) return error
  const kept = realpathSync(trajectoriesDir(home))
  return existsSync(path) && !relative(realpathSync(path), kept).startsWith('..')
    ? new BadInput(path, "holds Recompense's own data folder; name the file or folder of the dump itself")
    : new BadInput(trajectoriesDir(home), error.problem, error.where)
}
