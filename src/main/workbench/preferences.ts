/** What the user chose for the window: `preferences.json` in the home. A damaged file is kept aside, never overwritten. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Preferences, preferencesSchema } from '../../shared/ipc.ts'
import { writeWhole } from './files-on-disk.ts'
import { keepAside } from './kept-aside.ts'

export const defaultPreferences: Preferences = { theme: 'system', device: 'auto', threads: 0, model_folders: [] }

export interface StoredPreferences {
  readonly preferences: Preferences
  /** What became of a file that could not be used; null when all is well. */
  readonly warning: string | null
}

/** By home: what was kept aside and not yet replaced. Whoever reads first must not be the only one to hear of it. */
const keptAside = new Map<string, string>()

const preferencesFile = (home: string): string => join(home, 'preferences.json')

/** Keys this version does not know are dropped, keys it misses get their default. */
export function readPreferences(home: string): StoredPreferences {
  const file = preferencesFile(home)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return { preferences: defaultPreferences, warning: keptAside.get(home) ?? null }
    return { preferences: defaultPreferences, warning: `${file} cannot be read (${code}); the defaults are in use` }
  }
  const preferences = parsed(text)
  if (preferences !== null) return { preferences, warning: null }
  const warning = keepAside(file)
  keptAside.set(home, warning)
  return { preferences: defaultPreferences, warning }
}

export function writePreferences(home: string, preferences: Preferences): StoredPreferences {
  // A damaged file that nobody has read yet must not be lost to this write.
  const { warning } = readPreferences(home)
  keptAside.delete(home)
  writeWhole(preferencesFile(home), `${JSON.stringify(preferences, null, 2)}\n`)
  return { preferences, warning }
}

function parsed(text: string): Preferences | null {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
    const known = Object.entries(value).filter(([key]) => key in defaultPreferences)
    const result = preferencesSchema.safeParse({ ...defaultPreferences, ...Object.fromEntries(known) })
    return result.success ? result.data : null
  } catch {
    return null
  }
}
