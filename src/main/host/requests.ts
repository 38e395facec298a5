/** Every request of a window, answered by the same workbench functions that the command line calls. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { BadInput } from '../../shared/bad-input.ts'
import { isStudyId } from '../../shared/ids.ts'
import {
  type Preferences,
  type RequestHandlers,
  type RequestName,
  requestSchemas,
  type WindowEvent,
} from '../../shared/ipc.ts'
import { codeVersion } from '../code-version.ts'
import { doctorChecks } from '../workbench/doctor.ts'
import { embeddedModel } from '../workbench/embedded-model.ts'
import { reportDir } from '../workbench/places.ts'
import { openWorkbench, type Workbench } from '../workbench/workbench.ts'
import { benchHandlers } from './bench-handlers.ts'
import type { ServedPlaces } from './served-file.ts'

export interface WindowHost {
  readonly kind: 'electron' | 'browser'
  /** The system's dialog, where there is one. */
  readonly pick: RequestHandlers['files.pick']
  /** Address of a file in a study's own report folder; null where the window shows folders instead. */
  readonly exportUrl: (studyId: string, path: string) => string | null
  /** Told of the first file of a finished export. */
  readonly onExport?: (file: string) => void
  /** Told what the user chose, for what only the host can follow (the theme of its menus and frames). */
  readonly onPreferences?: (preferences: Preferences) => void
}

export interface WindowRequests {
  readonly handlers: RequestHandlers
  readonly reportFolder: ServedPlaces['reportFolder']
  /** Whether this process itself runs a job. */
  isRunning(): boolean
  subscribe(listener: (event: WindowEvent) => void): () => void
  /** Ends what runs at its next atomic update, then closes the store. */
  close(): Promise<void>
}

/** Never throws for a data folder that cannot be used: the window opens and says why. */
export function openRequests(
  home: string,
  host: WindowHost,
  open: (home: string) => Workbench = (folder) => openWorkbench({ home: folder }),
): WindowRequests {
  const folder = resolve(home)
  try {
    return requestsOf(open(folder), host)
  } catch (error) {
    if (!(error instanceof BadInput)) throw error
    return refusals(folder, host, error)
  }
}

function requestsOf(bench: Workbench, host: WindowHost): WindowRequests {
  const listeners = new Set<(event: WindowEvent) => void>()
  const tell = (event: WindowEvent) => {
    for (const listener of listeners) listener(event)
  }
  const reportFolder = (studyId: string) => (isStudyId(studyId) ? reportDir(bench.home, studyId) : undefined)
  const { handlers, jobs, close } = benchHandlers(bench, host, tell)
  return {
    handlers: { ...common(bench.home, host, null), ...handlers },
    reportFolder,
    isRunning: () => jobs.isRunning,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close,
  }
}

type Common = Pick<RequestHandlers, 'app.info' | 'doctor.run' | 'files.pick'>

/** What needs no store. */
function common(home: string, host: WindowHost, problem: string | null): Common {
  return {
    'app.info': async () => ({ version: codeVersion, home, host: host.kind, embedded_model: modelOrNone(), problem }),
    'doctor.run': () => doctorChecks(home, codeVersion),
    'files.pick': host.pick,
  }
}

function modelOrNone(): string {
  try {
    return embeddedModel()
  } catch {
    return ''
  }
}

function refusals(home: string, host: WindowHost, problem: BadInput): WindowRequests {
  const refuse = async (): Promise<never> => {
    throw problem
  }
  const names = Object.keys(requestSchemas) as RequestName[]
  const refusing = Object.fromEntries(names.map((name) => [name, refuse])) as unknown as RequestHandlers
  return {
    handlers: { ...refusing, ...common(home, host, problem.message) },
    reportFolder: () => undefined,
    isRunning: () => false,
    subscribe: () => () => {},
    close: async () => {},
  }
}

/** Whether a study's report can be shown. */
export function hasReport(bench: Workbench, studyId: string): boolean {
  return isStudyId(studyId) && existsSync(join(reportDir(bench.home, studyId), 'report.html'))
}
