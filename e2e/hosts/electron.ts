/** The application in Electron itself, where its program is installed; elsewhere the specs are reported as skipped. */
import { join } from 'node:path'
import { _electron } from '@playwright/test'
import { electronBinary } from '../../bin/electron-binary.mjs'
import type { Launch, Opened } from './opened.ts'

const root = join(import.meta.dirname, '..', '..')

export async function launchElectron({ dir, skip, watch }: Launch): Promise<Opened> {
  const executablePath = electronBinary(join(root, 'node_modules', 'electron'))
  if (executablePath === undefined) skip("Electron's program is not installed")
  const environment = Object.entries({ ...process.env, RECOMPENSE_HOME: dir }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  const app = await _electron.launch({
    ...(executablePath === undefined ? {} : { executablePath }),
    args: [root],
    env: Object.fromEntries(environment),
  })
  const page = await app.firstWindow()
  watch(page)
  return { page, another: undefined, close: () => app.close() }
}
