/** What a report wrote, in a few lines: the folder, its main files, and how many stand in each folder beside them. */
import { basename, dirname, resolve } from 'node:path'
import { bytes, plural } from './figures.ts'
import { facts } from './table.ts'

export interface WrittenFile {
  readonly path: string
  readonly bytes: number
}

/** @param out the report's folder, as it was given */
export function reportSummary(out: string, files: readonly WrittenFile[]): string {
  const root = resolve(out)
  const sum = (some: readonly WrittenFile[]) => bytes(some.reduce((total, file) => total + file.bytes, 0))
  const main = files.filter(({ path }) => dirname(resolve(path)) === root)
  const inside = files.filter((file) => !main.includes(file))
  const folders = new Set(inside.map(({ path }) => dirname(path)))
  return [
    `${out}: ${plural(files.length, 'file')}, ${sum(files)}`,
    facts([
      ...main.map((file): [string, string] => [`  ${basename(file.path)}`, bytes(file.bytes)]),
      ...[...folders].map((folder): [string, string] => {
        const some = inside.filter(({ path }) => dirname(path) === folder)
        return [`  ${basename(folder)}/`, `${plural(some.length, 'file')}, ${sum(some)}; index.csv lists them`]
      }),
    ]),
  ].join('\n')
}
