/**
 * How the application ends. Nothing that runs is lost by accident: closing the window during a run asks, a run that goes
 * on keeps the application alive without a window, and the store is closed before the process is.
 */
import type { App, BrowserWindow, Event } from 'electron'
import type { WindowRequests } from '../requests.ts'
import type { Leaving } from './dialogs.ts'

export interface LeavingParts {
  readonly app: Pick<App, 'on' | 'quit'>
  readonly platform: NodeJS.Platform
  readonly requests: Pick<WindowRequests, 'isRunning' | 'subscribe' | 'close'>
  readonly window: () => Pick<BrowserWindow, 'hide' | 'isVisible'> | undefined
  readonly ask: () => Promise<Leaving>
}

/** @returns the listener for the window's `close` */
export function guardLeaving({ app, platform, requests, window, ask }: LeavingParts): (event: Event) => void {
  let state: 'here' | 'asking' | 'going' | 'gone' = 'here'
  let unattended = false

  async function go(): Promise<void> {
    state = 'going'
    await requests.close()
    state = 'gone'
    app.quit()
  }

  async function decide(): Promise<void> {
    if (!requests.isRunning()) return go()
    state = 'asking'
    const answer = await ask()
    state = 'here'
    if (answer === 'stop') return go()
    if (answer === 'stay') return
    unattended = true
    window()?.hide()
    if (!requests.isRunning()) await go()
  }

  // A run without a window ends the application when it ends, unless somebody has come back to look.
  requests.subscribe(() => {
    const attended = window()?.isVisible() === true
    if (unattended && attended) unattended = false
    if (unattended && state === 'here' && !requests.isRunning()) void go()
  })

  app.on('before-quit', (event) => {
    if (state === 'gone') return
    event.preventDefault()
    if (state === 'here') void decide()
  })
  app.on('window-all-closed', () => {
    if (platform !== 'darwin') app.quit()
  })
  return (event) => {
    // On macOS an application lives on without windows.
    if (state === 'gone' || (platform === 'darwin' && state === 'here')) return
    event.preventDefault()
    if (state === 'here') void decide()
  }
}
