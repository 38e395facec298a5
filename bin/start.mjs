// `npm start`: opens the desktop window from the built files, or says in one line what is missing.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { electronBinary } from './electron-binary.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

function stop(line) {
  process.stderr.write(`error: ${line}\n`)
  process.exit(2)
}

const binary = electronBinary(join(root, 'node_modules', 'electron'))
if (binary === undefined) {
  stop(
    'electron: its program is not installed; "node node_modules/electron/install.js" downloads it, "npm run serve -- --open" needs none',
  )
}
if (!existsSync(join(root, 'out', 'main', 'index.js'))) stop('out/: nothing is built yet; run "npm run build" first')
const child = spawn(binary, [root], { stdio: 'inherit' })
child.on('exit', (code) => process.exit(code ?? 1))
