/** The application service: one store, one home, and what its requests need. Command line and windows share it. */
import { resolve } from 'node:path'
import { BadInput } from '../../shared/bad-input.ts'
import { isStudyId, type StudyId } from '../../shared/ids.ts'
import type { StudyDocument } from '../../shared/study-document.ts'
import { codeVersion } from '../code-version.ts'
import { ForkStageHost } from '../jobs/fork-stage-host.ts'
import type { StageHost } from '../jobs/stage-host.ts'
import type { GrantPlaces } from '../jobs/stage-permissions.ts'
import { stageEntry } from '../program-layout.ts'
import type { ReportRequest } from '../report/write-report.ts'
import { openStore, type Store } from '../store/open-store.ts'
import { findStudy, type StudyRow } from '../store/studies.ts'

export type WriteReport = (
  document: StudyDocument,
  request: ReportRequest,
) => Promise<{ readonly files: readonly string[] }>

export interface WorkbenchOptions {
  /** The data folder; made where it is missing. */
  readonly home: string
  /** Default: the report writer of this program. */
  readonly writeReport?: WriteReport
  /** Recorded with every run; default: this package's version. */
  readonly codeVersion?: string
  /** Starts stage processes; default: Node's fork of the training engine. */
  readonly stageHost?: (places: GrantPlaces) => StageHost
  readonly now?: () => Date
  readonly random?: () => number
}

export interface Workbench {
  readonly home: string
  readonly store: Store
  readonly writeReport: WriteReport
  readonly codeVersion: string
  readonly stageHost: (places: GrantPlaces) => StageHost
  readonly now: () => Date
  readonly random: () => number
  close(): void
}

/** Loaded when it is needed: most requests write no report. */
const ownReport: WriteReport = async (document, request) =>
  (await import('../report/write-report.ts')).writeReport(document, request)

/** Throws `BadInput` when the home or its store cannot be used. */
export function openWorkbench(options: WorkbenchOptions): Workbench {
  const home = resolve(options.home)
  const store = openStore(home)
  return {
    home,
    store,
    writeReport: options.writeReport ?? ownReport,
    codeVersion: options.codeVersion ?? codeVersion,
    stageHost: options.stageHost ?? ((places) => new ForkStageHost({ entry: stageEntry, places })),
    now: options.now ?? (() => new Date()),
    random: options.random ?? Math.random,
    close: () => store.close(),
  }
}

/** Throws `BadInput` when there is no such study. */
export function requireStudy(bench: Workbench, id: string): StudyRow & { readonly studyId: StudyId } {
  const study = isStudyId(id) ? findStudy(bench.store.db, id) : null
  if (study === null) throw new BadInput(id, `is not a study in ${bench.home}; "study list" names them`)
  return study
}
