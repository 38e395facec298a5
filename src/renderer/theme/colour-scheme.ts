/** The theme of the preferences in Mantine's words. */
import type { MantineColorScheme } from '@mantine/core'
import type { Preferences } from '../../shared/ipc.ts'

export const colourScheme = (theme: Preferences['theme']): MantineColorScheme => (theme === 'system' ? 'auto' : theme)
