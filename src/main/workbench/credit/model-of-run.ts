/** Which folder of this machine holds the base model of a run; runs on the user's own rows record it by content only. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { RunRow } from '../../store/runs.ts'
import { allStudies, findStudy } from '../../store/studies.ts'
import { fileSha256 } from '../files-on-disk.ts'
import { listModels } from '../list-models.ts'
import { readPreferences } from '../preferences.ts'
import type { Workbench } from '../workbench.ts'

/** Null where no model of the folders in the settings, or of a study here, has the recorded configuration and tokenizer. */
export function modelOfRun(bench: Workbench, run: RunRow): string | null {
  if (run.studyId !== null) return findStudy(bench.store.db, run.studyId)?.modelDir ?? null
  const recorded = run.config.model_files
  if (typeof recorded !== 'object' || recorded === null) return null
  const files = recorded as Readonly<Record<string, string>>
  const small = ['config.json', 'tokenizer.json']
  const matches = (folder: string) =>
    small.every((name) => {
      const file = join(folder, name)
      return files[name] === (existsSync(file) ? fileSha256(file) : undefined)
    })
  const { model_folders } = readPreferences(bench.home).preferences
  const listed = listModels(model_folders).flatMap(({ folder, problem }) => (problem === null ? [folder] : []))
  const ofStudies = allStudies(bench.store.db).map(({ modelDir }) => modelDir)
  return [...new Set([...listed, ...ofStudies])].find(matches) ?? null
}
