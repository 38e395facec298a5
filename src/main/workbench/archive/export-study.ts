/** One file with everything needed to review a study and go on with it elsewhere; the base model is named by hash. */
import { existsSync, statSync } from 'node:fs'
import { basename, isAbsolute, join, resolve } from 'node:path'
import { BadInput } from '../../../shared/bad-input.ts'
import { artifactsOf } from '../../store/artifacts.ts'
import { canonicalJson } from '../../store/json.ts'
import { newestVersion } from '../../store/migrations.ts'
import { fileSha256, filesBelow, sha256 } from '../files-on-disk.ts'
import { studyDir } from '../places.ts'
import { requireStudy, type Workbench } from '../workbench.ts'
import {
  type ArchiveManifest,
  archiveFormat,
  archiveVersion,
  filesFolder,
  manifestName,
  recordsName,
} from './archive-format.ts'
import { readRecords } from './study-records.ts'
import { writeZip, type ZipSource } from './zip-writer.ts'

export interface ExportResult {
  readonly study_id: string
  readonly file: string
  readonly bytes: number
  readonly sha256: string
  readonly files: number
}

const leftover = /(^|\/)\.[^/]*\.tmp$|\.partial-\d+$/

/**
 * Exports to a file that must not exist yet. Equal studies give equal bytes.
 * Throws `BadInput` when the study is running, a file of it changed since it was recorded, or the target is taken.
 */
export function exportStudy(bench: Workbench, id: string, file: string): ExportResult {
  const study = requireStudy(bench, id)
  if (study.status === 'running') throw new BadInput(id, 'is running; stop it or wait, then export it')
  const target = resolve(file)
  if (existsSync(target)) throw new BadInput(file, 'exists already; choose another name')
  const root = studyDir(bench.home, study.studyId)
  const files = Object.fromEntries(
    filesBelow(root)
      .filter((path) => !leftover.test(path))
      .map((path) => [path, { sha256: fileSha256(join(root, path)), bytes: statSync(join(root, path)).size }]),
  )
  for (const { path, sha256: recorded } of artifactsOf(bench.store.db, study.studyId)) {
    const found = files[path]?.sha256 ?? 'none, it is missing'
    if (found !== recorded)
      throw new BadInput(join(root, path), `changed: its SHA-256 is ${found}, recorded is ${recorded}`)
  }
  const reports = study.reportFiles.filter((path) => !isAbsolute(path))
  const records = Buffer.from(
    `${canonicalJson(readRecords(bench.store.db, study.studyId, basename(study.modelDir), reports))}\n`,
  )
  const manifest: ArchiveManifest = {
    format: archiveFormat,
    version: archiveVersion,
    store_version: newestVersion,
    study_id: study.studyId,
    files: {
      [recordsName]: { sha256: sha256(records), bytes: records.length },
      ...Object.fromEntries(Object.entries(files).map(([path, facts]) => [filesFolder + path, facts])),
    },
  }
  const sources: ZipSource[] = [
    { name: manifestName, from: Buffer.from(`${canonicalJson(manifest)}\n`) },
    { name: recordsName, from: records },
    ...Object.entries(files).map(([path, { bytes }]) => ({
      name: filesFolder + path,
      from: { file: join(root, path), bytes },
    })),
  ]
  writeZip(target, sources)
  return {
    study_id: study.studyId,
    file: target,
    bytes: statSync(target).size,
    sha256: fileSha256(target),
    files: sources.length,
  }
}
