/**
 * Builds the window's page alone into the folder given, which gets its name only when it is whole: a reader of the old
 * page never meets half of a new one. Everything is said on stderr.
 */
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { build } from 'vite'
import { rendererConfig } from './renderer-config.ts'

const out = process.argv[2]
if (out === undefined) throw new Error('name the folder to build into')
const fresh = `${out}.new-${process.pid}`
const old = `${out}.old-${process.pid}`
mkdirSync(dirname(out), { recursive: true })
try {
  await build({
    ...rendererConfig,
    configFile: false,
    base: './',
    logLevel: 'error',
    build: { ...rendererConfig.build, outDir: fresh, emptyOutDir: true },
  })
  try {
    renameSync(out, old)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  renameSync(fresh, out)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
} finally {
  rmSync(fresh, { recursive: true, force: true })
  rmSync(old, { recursive: true, force: true })
}
