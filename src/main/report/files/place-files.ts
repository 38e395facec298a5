/**
 * Puts a report's files where they belong: all are complete beside the place before the first gets its name. A folder of
 * the report is replaced as a whole. What is no report of this program is somebody's, and stays.
 */
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { BadInput } from '../../../shared/bad-input.ts'
import { writingFile } from '../../engine/checkpoint/disk-fault.ts'
import type { ReportFile } from './report-file.ts'

/** The first line of every folder's index begins with this. */
const indexHead = 'file,kind,section,'

/**
 * @param out folder; made where it is missing
 * @returns the paths written, in the order given
 */
export function placeFiles(files: readonly ReportFile[], out: string): string[] {
  const staging = join(out, `.report-${process.pid}.tmp`)
  const outgoing = join(staging, 'replaced')
  const names = [...new Set(files.map(({ path }) => path.split('/')[0]!))]
  try {
    for (const { path, bytes } of files) {
      const file = join(staging, 'new', path)
      writingFile(join(out, ...path.split('/')), () => {
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, bytes, { flush: true })
      })
    }
    mkdirSync(outgoing, { recursive: true })
    replaceAll(names, join(staging, 'new'), out, outgoing)
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
  return files.map(({ path }) => join(out, ...path.split('/')))
}

/** Gives every name its new content, or, where one cannot be had, leaves all of them with their old. */
function replaceAll(names: readonly string[], from: string, to: string, outgoing: string): void {
  const undo: (() => void)[] = []
  try {
    for (const name of names) {
      const place = join(to, name)
      const old = join(outgoing, name)
      writingFile(place, () => {
        if (existsSync(place)) {
          // A folder cannot be renamed over another; a file can, and is then never absent.
          if (lstatSync(place).isDirectory()) renameSync(place, old)
          else copyFileSync(place, old)
          undo.push(() => renameSync(old, place))
        }
        renameSync(join(from, name), place)
        undo.push(() => rmSync(place, { recursive: true }))
      })
    }
  } catch (cause) {
    for (const step of undo.reverse()) step()
    throw cause
  }
}

/** @throws BadInput where a file of that name is there and does not have the mark of a report */
export function refuseForeignFile(path: string, mark: string): void {
  if (!existsSync(path)) return
  if (!lstatSync(path).isFile()) throw new BadInput(path, 'is in the way of the report and is not a file')
  const bytes = readFileSync(path)
  // A PDF has its facts at no fixed place.
  const searched = path.endsWith('.pdf') ? bytes : bytes.subarray(0, 4000)
  if (!searched.includes(mark)) throw new BadInput(path, 'is not a report; choose another folder or move it away')
}

/** @throws BadInput where a folder of that name holds anything its own index does not list */
export function refuseForeignFolder(path: string): void {
  if (!existsSync(path)) return
  if (!lstatSync(path).isDirectory()) throw new BadInput(path, 'is in the way of the report and is not a folder')
  const found = readdirSync(path)
  if (found.length === 0) return
  const index = join(path, 'index.csv')
  const text = existsSync(index) ? readFileSync(index, 'utf8') : ''
  if (!text.startsWith(indexHead))
    throw new BadInput(path, 'is not a folder of a report; choose another folder or move it away')
  const listed = new Set(['index.csv', ...text.split('\r\n').map((line) => line.slice(0, line.indexOf(',')))])
  const stranger = found.find((name) => !listed.has(name))
  if (stranger !== undefined)
    throw new BadInput(join(path, stranger), 'is no part of a report and would be lost; move it away first')
}
