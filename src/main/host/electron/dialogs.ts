/** The system's dialogs: picking files and folders, and the question before a run is left alone. */
import { type BrowserWindow, dialog, type OpenDialogOptions } from 'electron'
import type { RequestHandlers } from '../../../shared/ipc.ts'

const properties: Readonly<Record<'file' | 'folder' | 'new-folder', NonNullable<OpenDialogOptions['properties']>>> = {
  file: ['openFile'],
  folder: ['openDirectory'],
  'new-folder': ['openDirectory', 'createDirectory', 'promptToCreate'],
}

export function picker(window: () => BrowserWindow | undefined): RequestHandlers['files.pick'] {
  return async ({ what, title }) => {
    const options: OpenDialogOptions = { title, message: title, properties: properties[what] }
    const parent = window()
    const { canceled, filePaths } = await (parent === undefined
      ? dialog.showOpenDialog(options)
      : dialog.showOpenDialog(parent, options))
    const path = filePaths[0]
    return canceled || path === undefined ? null : { path }
  }
}

export type Leaving = 'go-on' | 'stop' | 'stay'
const answers: readonly Leaving[] = ['go-on', 'stop', 'stay']

/** Asked when the window is closed while a job runs. */
export async function askAboutRun(parent: BrowserWindow | undefined): Promise<Leaving> {
  const options = {
    type: 'question' as const,
    message: 'A run is under way.',
    detail:
      'It can go on without a window; starting Recompense again shows it. Or it stops at its next update, keeps what it ' +
      'has done, and can be continued later.',
    buttons: ['Let it go on', 'Stop it and quit', 'Cancel'],
    defaultId: 0,
    cancelId: 2,
    noLink: true,
  }
  const { response } = await (parent === undefined
    ? dialog.showMessageBox(options)
    : dialog.showMessageBox(parent, options))
  return answers[response] ?? 'stay'
}
