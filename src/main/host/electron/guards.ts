/** What pages may never do, set once for every page: leave the app, open windows, ask for permissions, embed others. */
import type { App, Session, WebFrameMain } from 'electron'
import { appOrigin } from './app-protocol.ts'

/** Electron fires this for every page, also those that a later version may add. */
export function guardPages(app: App, development: string | undefined): void {
  app.on('web-contents-created', (_event, contents) => {
    contents.on('will-navigate', (event) => {
      if (!isOwnAddress(event.url, development)) event.preventDefault()
    })
    contents.on('will-attach-webview', (event) => event.preventDefault())
    // The product is offline: no address is handed to the system's browser either.
    contents.setWindowOpenHandler(() => ({ action: 'deny' }))
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

function originOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).origin : undefined
}
