/** The window's built page: made in a checkout when it is missing or older than its sources, taken as it is elsewhere. */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { BadInput } from '../../../shared/bad-input.ts'
import { builtPages, programRoot } from '../../program-layout.ts'

/** Throws `BadInput` where there is no page and no way to build one. */
export async function requirePages(note: (line: string) => void): Promise<string> {
  const index = join(builtPages, 'index.html')
  const sources = join(programRoot, 'src', 'renderer')
  if (existsSync(sources) && (!existsSync(index) || newest(sources) > statSync(index).mtimeMs)) {
    note('building the page; this takes some seconds')
    const built = await build()
    if (!built && existsSync(index)) note('the page cannot be built anew; the one built before is shown')
  }
  if (!existsSync(index)) throw new BadInput(builtPages, 'the page is not built; run "npm run build"')
  return builtPages
}

/** Milliseconds of the latest change among all that goes into the page. */
function newest(sources: string): number {
  const shared = join(programRoot, 'src', 'shared')
  const files = [sources, shared].flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name)),
  )
  return Math.max(...[...files, join(programRoot, 'package.json')].map((file) => statSync(file).mtimeMs))
}

/** Whether it went well; why not is said on stderr by the build itself. */
function build(): Promise<boolean> {
  const script = join(programRoot, 'build', 'build-pages.ts')
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, builtPages], {
      cwd: programRoot,
      stdio: ['ignore', 2, 2],
    })
    child.on('error', reject)
    child.on('exit', (code) => resolve(code === 0))
  })
}
