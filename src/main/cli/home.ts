/** The data folder: `--home`, else RECOMPENSE_HOME, else where the operating system keeps application data. */
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** The folder that Electron's `app.getPath('userData')` names for this product, so window and shell share one store. */
export function defaultHome(platform = process.platform, environment = process.env, user = homedir()): string {
  const name = 'Recompense'
  if (platform === 'win32') return join(environment.APPDATA || join(user, 'AppData', 'Roaming'), name)
  if (platform === 'darwin') return join(user, 'Library', 'Application Support', name)
  return join(environment.XDG_CONFIG_HOME || join(user, '.config'), name)
}

export function homeFolder(flag: string | undefined, environment = process.env): string {
  return resolve(flag ?? (environment.RECOMPENSE_HOME || defaultHome()))
}
