#!/usr/bin/env node
// The `recompense` program. It needs Node 22.18 or newer (TypeScript sources, Node-API 10 of the run store); where an
// older one starts it, it hands over to the one that came with the dependencies, and otherwise says what is wrong.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const source = join(root, 'src', 'main', 'cli', 'index.ts')
const built = join(root, 'out', 'main', 'cli.js')
// Node strips types from sources in a checkout, but never from files below node_modules.
const fromSource = existsSync(source) && !root.split(/[\\/]/).includes('node_modules')
const program = fromSource ? source : built

const [major, minor] = process.versions.node.split('.').map(Number)
if (major > 22 || (major === 22 && minor >= (fromSource ? 18 : 14))) {
  await import(pathToFileURL(program).href)
} else {
  const own = join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node')
  if (!existsSync(own)) {
    process.stderr.write(`error: node: version ${process.versions.node} is too old; install Node 22.18 or newer\n`)
    process.exit(2)
  }
  const child = spawn(own, [program, ...process.argv.slice(2)], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  // Ctrl-C reaches both; how to end is for the program to decide.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)))
}
