/** Takes an exported study into a home: verified file by file in a folder apart, then in at once or not at all. */
import { createHash } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { BadInput } from '../../../shared/bad-input.ts'
import { isStudyId, type StudyId } from '../../../shared/ids.ts'
import { artifactsOf } from '../../store/artifacts.ts'
import { homeFault } from '../../store/home-faults.ts'
import { newestVersion } from '../../store/migrations.ts'
import { findStudy } from '../../store/studies.ts'
import { freeBytes } from '../disk-space.ts'
import { studiesDir, studyDir } from '../places.ts'
import type { Workbench } from '../workbench.ts'
import {
  type ArchiveManifest,
  archiveFormat,
  archiveManifestSchema,
  archiveVersion,
  filesFolder,
  manifestName,
  recordsName,
} from './archive-format.ts'
import { insertRecords, parseRecords } from './study-records.ts'
import { type ZipEntry, ZipFile } from './zip-reader.ts'

export interface ImportResult {
  readonly study_id: string
  readonly status: string
  readonly files: number
}

/** The directory and the rows are held in memory; studies need far less. */
const mostInMemory = 400 * 1024 * 1024
/** Left free on the disk. */
const reserve = 64 * 1024 * 1024

/**
 * Throws `BadInput` when the file is no study export of this version, unsafe, damaged, too large for the disk, or a
 * study that is here already. The home is then as it was.
 */
export function importStudy(bench: Workbench, file: string): ImportResult {
  const zip = new ZipFile(file, Math.max(0, freeBytes(bench.home) - reserve))
  const staging = join(studiesDir(bench.home), `.import-${process.pid}`)
  let placed: string | null = null
  try {
    const manifest = readManifest(zip, file)
    const studyId = requireNew(bench, manifest, file)
    requireComplete(zip, manifest, file)
    rmSync(staging, { recursive: true, force: true })
    mkdirSync(staging, { recursive: true })
    const recordsText = verified(zip.bytes(recordsName, mostInMemory), recordsName, manifest, file).toString('utf8')
    const records = parseRecords(recordsText, studyId, file)
    for (const entry of zip.entries.values()) {
      if (entry.name.startsWith(filesFolder)) unpackVerified(zip, entry, manifest, staging, file)
    }
    const target = studyDir(bench.home, studyId)
    bench.store.db
      .transaction(() => {
        insertRecords(bench.store.db, records, file)
        requireRecordedHashes(bench, studyId, manifest, file)
        renameSync(staging, target)
        placed = target
      })
      .immediate()
    const study = findStudy(bench.store.db, studyId)
    return { study_id: studyId, status: study?.status ?? 'unknown', files: zip.entries.size }
  } catch (error) {
    // Rows that could not be committed must not leave their files behind.
    if (placed !== null) rmSync(placed, { recursive: true, force: true })
    throw homeFault(bench.home, error)
  } finally {
    zip.close()
    rmSync(staging, { recursive: true, force: true })
  }
}

function readManifest(zip: ZipFile, file: string): ArchiveManifest {
  if (!zip.entries.has(manifestName)) throw new BadInput(file, 'is not an exported study', `${manifestName} is missing`)
  let parsed: unknown
  try {
    parsed = JSON.parse(zip.bytes(manifestName, mostInMemory).toString('utf8'))
  } catch (error) {
    if (error instanceof BadInput) throw error
    throw new BadInput(file, 'is not an exported study', `${manifestName} is not JSON`)
  }
  const { format, version, store_version } = (typeof parsed === 'object' && parsed !== null ? parsed : {}) as Record<
    string,
    unknown
  >
  if (format !== archiveFormat) throw new BadInput(file, 'is not an exported study', manifestName)
  if (version !== archiveVersion || store_version !== newestVersion) {
    const found = `format ${String(version)}, records ${String(store_version)}`
    throw new BadInput(
      file,
      `was exported by another version of this program (${found}; this one reads format ${archiveVersion}, records ${newestVersion})`,
    )
  }
  const result = archiveManifestSchema.safeParse(parsed)
  if (!result.success) throw new BadInput(file, 'has a damaged manifest', result.error.issues[0]?.path.join('.'))
  return result.data
}

function requireNew(bench: Workbench, { study_id }: ArchiveManifest, file: string): StudyId {
  if (!isStudyId(study_id)) throw new BadInput(file, 'has an unusable study id', manifestName)
  if (findStudy(bench.store.db, study_id) !== null) throw new BadInput(file, `${study_id} is in ${bench.home} already`)
  if (existsSync(studyDir(bench.home, study_id))) {
    throw new BadInput(studyDir(bench.home, study_id), 'is in the way of the import; move it away')
  }
  return study_id
}

/** The archive holds what its manifest lists, no more and no less. */
function requireComplete(zip: ZipFile, manifest: ArchiveManifest, file: string): void {
  for (const name of Object.keys(manifest.files)) {
    if (!zip.entries.has(name)) throw new BadInput(file, 'lists a file that it does not hold', name)
  }
  for (const name of zip.entries.keys()) {
    if (name === manifestName) continue
    if (!Object.hasOwn(manifest.files, name))
      throw new BadInput(file, 'holds a file that its manifest does not list', name)
    if (name !== recordsName && !name.startsWith(filesFolder))
      throw new BadInput(file, 'holds a file out of place', name)
  }
}

function verified(bytes: Buffer, name: string, manifest: ArchiveManifest, file: string): Buffer {
  const found = createHash('sha256').update(bytes).digest('hex')
  requireHash(found, name, manifest, file)
  return bytes
}

function requireHash(found: string, name: string, manifest: ArchiveManifest, file: string): void {
  const recorded = manifest.files[name]?.sha256
  if (found !== recorded)
    throw new BadInput(file, `changed: SHA-256 is ${found}, recorded is ${recorded ?? 'none'}`, name)
}

function unpackVerified(zip: ZipFile, entry: ZipEntry, manifest: ArchiveManifest, staging: string, file: string): void {
  const target = join(staging, entry.name.slice(filesFolder.length))
  mkdirSync(dirname(target), { recursive: true })
  const descriptor = openSync(target, 'wx')
  const hash = createHash('sha256')
  try {
    zip.unpack(entry, (piece) => {
      hash.update(piece)
      for (let done = 0; done < piece.length; ) done += writeSync(descriptor, piece, done)
    })
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  requireHash(hash.digest('hex'), entry.name, manifest, file)
}

/** The records' own hashes of the study's files must be those of the files that came with them. */
function requireRecordedHashes(bench: Workbench, studyId: StudyId, manifest: ArchiveManifest, file: string): void {
  for (const { path, sha256 } of artifactsOf(bench.store.db, studyId)) {
    requireHash(sha256, filesFolder + path, manifest, file)
  }
}
