/** Files of the `resources/report` folder beside the program, wherever it was packed. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** @throws where the installation lacks the file */
export function reportResource(name: string): string {
  const relative = join('resources', 'report', name)
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const path = join(folder, relative)
    if (existsSync(path)) return readFileSync(path, 'utf8')
    if (dirname(folder) === folder) break
  }
  throw new Error(`The installation is incomplete: ${relative} is missing`)
}
