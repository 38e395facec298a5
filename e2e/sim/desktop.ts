/** The stand-in's parts that belong to the desktop: dialogs, menu, theme, screens. Answers are set by the harness. */
import type Electron from 'electron'
import { post, strict, violation } from './strict.ts'

interface Answers {
  open: Electron.OpenDialogReturnValue
  message: number
}

export const answers: Answers = { open: { canceled: true, filePaths: [] }, message: 0 }

/** Electron takes the window first, or leaves it out. */
const last = <T>(given: readonly unknown[]): T => given.at(-1) as T

export const dialog = strict('dialog', {
  showErrorBox: (title: string, content: string) => {
    post({ t: 'errorBox', title, content })
  },
  showOpenDialog: async (...given: unknown[]) => {
    const { properties = [], title } = last<Electron.OpenDialogOptions>(given)
    post({ t: 'openDialog', properties, title })
    return answers.open
  },
  showMessageBox: async (...given: unknown[]) => {
    const { message, buttons = [], cancelId } = last<Electron.MessageBoxOptions>(given)
    if (cancelId === undefined || buttons[cancelId] === undefined) violation('a message box needs a button for Escape')
    post({ t: 'messageBox', message, buttons })
    return { response: answers.message, checkboxChecked: false }
  },
})

const roles = new Set([
  ...['appMenu', 'editMenu', 'windowMenu', 'about', 'close', 'quit', 'reload', 'toggleDevTools'],
  ...['resetZoom', 'zoomIn', 'zoomOut', 'togglefullscreen'],
])

type Template = readonly Electron.MenuItemConstructorOptions[]

function checkTemplate(template: Template): void {
  for (const { role, label, type, submenu } of template) {
    if (role !== undefined && !roles.has(role)) violation(`menu role ${role} does not exist`)
    if (role === undefined && label === undefined && type !== 'separator')
      violation('a menu item without label or role')
    if (Array.isArray(submenu)) checkTemplate(submenu)
  }
}

export const Menu = strict('Menu', {
  buildFromTemplate: (template: Template) => {
    checkTemplate(template)
    return { items: template }
  },
  setApplicationMenu: (menu: { items: Template }) => post({ t: 'menu', items: menu.items }),
})

let theme: string = 'system'
export const nativeTheme = {
  get themeSource() {
    return theme
  },
  set themeSource(value: string) {
    if (!['system', 'light', 'dark'].includes(value)) violation(`nativeTheme.themeSource = ${value}`)
    theme = value
    post({ t: 'theme', value })
  },
}

export const screen = strict('screen', {
  getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1920, height: 1040 } }],
})
