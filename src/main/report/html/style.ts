/** The style sheet of a report, read from the resources folder beside the program, wherever it was packed. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** @throws where the installation lacks the file */
export function reportStyle(): string {
  return ['figure.css', 'report.css'].map(resource).join('\n').trim()
}

function resource(name: string): string {
  const relative = join('resources', 'report', name)
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const path = join(folder, relative)
    if (existsSync(path)) return readFileSync(path, 'utf8')
    if (dirname(folder) === folder) break
  }
  throw new Error(`The installation is incomplete: ${relative} is missing`)
}
