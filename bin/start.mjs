// `npm start`: opens the desktop window from the built files, or says in one line what is missing. The electron
// package downloads its binary when it is imported, so whether it is there is read from its files.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

function stop(line) {
  process.stderr.write(`error: ${line}\n`)
  process.exit(2)
}

/** Path of Electron's program, or undefined where it was never downloaded. */
export function electronBinary(folder) {
  const note = join(folder, 'path.txt')
  if (!existsSync(note)) return undefined
  const binary = join(folder, 'dist', readFileSync(note, 'utf8').trim())
  return existsSync(binary) ? binary : undefined
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const binary = electronBinary(join(root, 'node_modules', 'electron'))
  if (binary === undefined) {
    stop(
      'electron: its program is not installed; "node node_modules/electron/install.js" downloads it, the command line needs none',
    )
  }
  if (!existsSync(join(root, 'out', 'main', 'index.js'))) stop('out/: nothing is built yet; run "npm run build" first')
  const child = spawn(binary, [root], { stdio: 'inherit' })
  child.on('exit', (code) => process.exit(code ?? 1))
}
