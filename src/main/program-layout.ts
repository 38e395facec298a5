/** Where the program's own files lie: TypeScript sources in a checkout, bundles under `out` once it is built or packed. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Bundling puts this file into a chunk of any depth, so the root is looked for, not counted. */
export const programRoot = rootAbove(import.meta.dirname)

/** True when Node runs the sources themselves. */
export const runsFromSource = import.meta.url.endsWith('.ts')

const program = (source: string, built: string): string =>
  join(programRoot, ...(runsFromSource ? ['src', 'main', source] : ['out', 'main', built]))

/** The training engine's process. */
export const stageEntry = program('engine/stage-process.ts', 'stage-process.js')

/** Loaded into a stage process before its entry. */
export const stagePreload = program('jobs/stage-preload.ts', 'stage-preload.js')

/** What a stage process must be able to read to run at all: the program, its modules and the package file. */
export function programPlaces(): string[] {
  return [runsFromSource ? 'src' : 'out', 'node_modules', 'package.json'].map((name) => join(programRoot, name))
}

/** The built window; its own folder in a checkout too, since browsers read no TypeScript. */
export const builtPages = join(programRoot, 'out', 'renderer')

function rootAbove(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder
    if (dirname(folder) === folder) throw new Error('the installation is incomplete: package.json is missing')
  }
}
