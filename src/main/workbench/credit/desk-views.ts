/** The desk as windows see it: its tasks, what a set of episodes comes to, and what was played here. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DeskPlayListing } from '../../../shared/credit.ts'
import type { CreditSource } from '../../../shared/credit-requests.ts'
import { runFiles } from '../../../shared/stage.ts'
import type { DeskTrajectory } from '../../engine/desk/episode.ts'
import { type DeskSummary, summarize } from '../../engine/desk/summary.ts'
import { artifactsOf } from '../../store/artifacts.ts'
import { runsWithoutStudy } from '../../store/runs.ts'
import { trajectoriesDir } from '../places.ts'
import type { Workbench } from '../workbench.ts'
import { chosenRows, sourceRows } from './sources.ts'

/** Null where any of the rollouts is not the desk's. */
export async function deskSummary(
  bench: Workbench,
  { source, ids }: { readonly source: CreditSource; readonly ids?: readonly string[] | undefined },
): Promise<DeskSummary | null> {
  const rows = chosenRows(await sourceRows(bench, source), ids) as readonly Partial<DeskTrajectory>[]
  const played = rows.filter((row): row is DeskTrajectory => row.task !== undefined && typeof row.end === 'string')
  return played.length === rows.length ? summarize(played) : null
}

/** Newest first. */
export function deskPlays({ home, store: { db } }: Workbench): DeskPlayListing[] {
  return runsWithoutStudy(db)
    .filter(({ stage }) => stage === 'desk')
    .map((run) => {
      const sha256 = artifactsOf(db, run.runId).find(({ path }) => path === runFiles.rollouts)?.sha256
      const kept = sha256 !== undefined && existsSync(join(trajectoriesDir(home), sha256))
      return {
        run_id: run.runId,
        status: run.status,
        error: run.error,
        created_at: run.createdAt,
        name: typeof run.config.name === 'string' ? run.config.name : run.runId,
        source: kept ? { kind: 'file', sha256 } : null,
      }
    })
}
