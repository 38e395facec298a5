/** What pages may never do, set once for every page: leave the app, open windows, ask for permissions, embed others. */
import { type App, type Session, shell, type WebFrameMain } from 'electron'
import { appOrigin } from './app-protocol.ts'

/** Electron fires this for every page, also those that a later version may add. */
export function guardPages(app: App, development: string | undefined): void {
  app.on('web-contents-created', (_event, contents) => {
    contents.on('will-navigate', (event) => {
      if (!isOwnAddress(event.url, development)) event.preventDefault()
    })
    contents.on('will-attach-webview', (event) => event.preventDefault())
    contents.setWindowOpenHandler(({ url }) => {
      if (isWebAddress(url)) void shell.openExternal(url)
      return { action: 'deny' }
    })
  })
}

export function refusePermissions(session: Session): void {
  session.setPermissionRequestHandler((_contents, _permission, decide) => decide(false))
  session.setPermissionCheckHandler(() => false)
}

/** Only the window's own top frame may call; a report's frame and foreign pages may not. */
export function isTrustedSender(frame: WebFrameMain | null, development: string | undefined): boolean {
  return frame !== null && frame.parent === null && isOwnAddress(frame.url, development)
}

function isOwnAddress(address: string, development: string | undefined): boolean {
  if (address.startsWith(`${appOrigin}/`)) return true
  return development !== undefined && originOf(address) === originOf(development)
}

function isWebAddress(address: string): boolean {
  return originOf(address)?.startsWith('https://') === true
}

function originOf(address: string): string | undefined {
  try {
    return new URL(address).origin
  } catch {
    return undefined
  }
}
