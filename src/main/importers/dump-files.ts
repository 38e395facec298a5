/** Which files a dump is made of: the file that was named, or the files of a folder that have the names its trainer gives. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { BadInput } from '../../shared/bad-input.ts'
import { fileProblem } from '../engine/checkpoint/input-file.ts'

export interface DumpLayout {
  /** First group: the number files are ordered by. */
  readonly name: RegExp
  /** Where the trainer puts them below the folder that users know. */
  readonly subfolder?: string
  /** "global_step_N_training_input.pkl": for a folder that holds none. */
  readonly expected: string
}

export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch (error) {
    throw new BadInput(path, fileProblem(error))
  }
}

/** In the order of their numbers. Throws `BadInput` for a folder without such a file. */
export function dumpFiles(path: string, layout: DumpLayout): string[] {
  if (!isFolder(path)) return [path]
  const folders = [path, ...(layout.subfolder === undefined ? [] : [join(path, layout.subfolder)])]
  for (const folder of folders) {
    const files = namesIn(folder)
      .map((name) => ({ name, number: layout.name.exec(name)?.[1] }))
      .filter((file): file is { name: string; number: string } => file.number !== undefined)
      .sort((a, b) => Number(a.number) - Number(b.number) || (a.name < b.name ? -1 : 1))
    if (files.length > 0) return files.map(({ name }) => join(folder, name))
  }
  throw new BadInput(path, `holds no ${layout.expected}; name the dump's folder or one of its files`)
}

/** Sorted; none where there is no such folder. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}
