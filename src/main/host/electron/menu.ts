/** Puts the native menu up. */
import { Menu } from 'electron'
import { menuTemplate } from './menu-template.ts'

export function setMenu(platform: NodeJS.Platform, developerTools: boolean): void {
  Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(platform, developerTools)))
}
