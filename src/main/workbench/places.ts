/** Where everything lies inside a home. Paths are made from ids, never stored, so that a study can move. */
import { join } from 'node:path'
import type { RunId, StudyId } from '../../shared/ids.ts'

export const studiesDir = (home: string): string => join(home, 'studies')
export const studyDir = (home: string, study: StudyId): string => join(studiesDir(home), study)
export const corpusDir = (home: string, study: StudyId): string => join(studyDir(home, study), 'corpus')
export const resultsDir = (home: string, study: StudyId): string => join(studyDir(home, study), 'results')
export const reportDir = (home: string, study: StudyId): string => join(studyDir(home, study), 'report')
export const cacheDir = (home: string): string => join(home, 'cache')
/** Trajectory files brought in from elsewhere, a folder each, named by the hash of its rows. */
export const trajectoriesDir = (home: string): string => join(home, 'trajectories')

/** A study's run, or a run on the user's own rows. */
export const runDir = (home: string, study: StudyId | null, run: RunId): string =>
  study === null ? join(home, 'runs', run) : join(studyDir(home, study), 'runs', run)

/** The run's folder relative to its study's, with forward slashes. */
export const runPath = (run: RunId): string => `runs/${run}`
