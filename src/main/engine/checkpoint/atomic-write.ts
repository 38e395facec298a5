/** Files and folders that appear whole or not at all: written beside their place, synced, then renamed. */
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { BadInput } from '../../../shared/bad-input.ts'
import { diskFault } from './disk-fault.ts'
import { errorCode } from './input-file.ts'
import { makeFolder } from './make-folder.ts'
import { followLinks, outputFile } from './output-file.ts'

export interface AtomicWriteOptions {
  /**
   * Also sync the folder, so that the new name survives a power cut. Without it a power cut may bring back the
   * previous whole file, never a partial one. Default true.
   */
  readonly syncFolder?: boolean
}

/**
 * Replaces the file at `path`, or the one that a link there leads to, by the concatenation of `chunks`. On any failure the
 * temporary is removed and the old file stays.
 * @throws BadInput when the place cannot be written (folder missing, no permission, or something that is no regular
 * file); Error when the disk is full
 */
export function writeFileAtomically(
  path: string,
  chunks: Iterable<Uint8Array>,
  options: AtomicWriteOptions = {},
): void {
  const place = outputFile(path)
  removeOrphans(place)
  const temporary = temporaryName(place)
  let fd: number | undefined
  try {
    fd = openSync(temporary, 'wx', 0o644)
    for (const chunk of chunks) writeFully(fd, chunk)
    fdatasyncSync(fd)
    closeSync(fd)
    fd = undefined
    renameSync(temporary, place)
  } catch (error) {
    if (fd !== undefined) closeSync(fd)
    rmSync(temporary, { force: true })
    throw writeFailure(path, error)
  }
  if (options.syncFolder !== false) syncFolder(dirname(place))
}

/** As `writeFileAtomically`, for chunks that are made as they are asked for. When making them fails, so does the write. */
export async function writeStreamAtomically(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const place = outputFile(path)
  removeOrphans(place)
  const temporary = temporaryName(place)
  let fd: number | undefined
  try {
    fd = openSync(temporary, 'wx', 0o644)
    for await (const chunk of chunks) writeFully(fd, chunk)
    fdatasyncSync(fd)
    closeSync(fd)
    fd = undefined
    renameSync(temporary, place)
  } catch (error) {
    if (fd !== undefined) closeSync(fd)
    rmSync(temporary, { force: true })
    throw error instanceof BadInput ? error : writeFailure(path, error)
  }
  syncFolder(dirname(place))
}

export interface FolderWriteOptions {
  /** Replace an existing non-empty folder. Default false: it is refused. */
  readonly overwrite?: boolean
}

/**
 * Makes the folder `dir` by filling a temporary sibling and renaming it.
 * @throws BadInput when `dir` is a file, or holds something and `overwrite` is not set
 */
export function writeFolderAtomically(
  dir: string,
  fill: (temporary: string) => void,
  options: FolderWriteOptions = {},
): void {
  const target = followLinks(dir)
  const holdsSomething = checkFolderFree(dir, options)
  const temporary = temporaryName(target)
  const replaced = `${temporary}.replaced`
  try {
    makeFolder(dirname(target))
    mkdirSync(temporary)
    fill(temporary)
    syncFolder(temporary)
    if (holdsSomething) renameSync(target, replaced)
    else if (existsSync(target)) rmdirSync(target)
    renameSync(temporary, target)
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true })
    if (existsSync(replaced) && !existsSync(target)) renameSync(replaced, target)
    throw writeFailure(dir, error)
  }
  rmSync(replaced, { recursive: true, force: true })
  syncFolder(dirname(target))
}

/** True when the folder exists and is not empty (and may be replaced). */
function checkFolderFree(dir: string, options: FolderWriteOptions): boolean {
  if (!existsSync(dir)) return false
  if (!statSync(dir).isDirectory()) throw new BadInput(dir, 'is a file; name a folder to write to')
  if (readdirSync(dir).length === 0) return false
  if (options.overwrite !== true) {
    throw new BadInput(dir, 'the folder exists and is not empty; name another one or ask to overwrite it')
  }
  return true
}

function writeFully(fd: number, chunk: Uint8Array): void {
  let done = 0
  while (done < chunk.byteLength) done += writeSync(fd, chunk, done, chunk.byteLength - done)
}

function syncFolder(dir: string): void {
  // Windows has no handle to sync for a folder; there the rename itself is journalled.
  if (process.platform === 'win32') return
  const fd = openSync(dir, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

function temporaryName(path: string): string {
  return join(dirname(path), `.${basename(path)}.${process.pid}.tmp`)
}

const swept = new Set<string>()

/** A process that was killed in mid-write leaves its temporary behind; the next writer of the same file removes it. */
function removeOrphans(path: string): void {
  const key = resolve(path)
  if (swept.has(key)) return
  swept.add(key)
  const prefix = `.${basename(path)}.`
  let names: string[]
  try {
    names = readdirSync(dirname(path))
  } catch {
    return
  }
  for (const name of names) {
    if (!name.startsWith(prefix)) continue
    const owner = /^(\d+)\.tmp$/.exec(name.slice(prefix.length))
    if (owner !== null && !isAlive(Number(owner[1]))) rmSync(join(dirname(path), name), { force: true })
  }
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

function writeFailure(path: string, error: unknown): unknown {
  switch (errorCode(error)) {
    case 'ENOENT':
      return new BadInput(path, 'the folder to write to does not exist')
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new BadInput(path, 'no permission to write here')
    case 'ENOTDIR':
    case 'EISDIR':
      return new BadInput(path, 'cannot be written: a part of the path is not what it should be (file or folder)')
    default:
      return diskFault(path, error) ?? error
  }
}
