/** The window: theme, workbench, shell. */
import { MantineProvider, useMantineColorScheme } from '@mantine/core'
import { ModalsProvider } from '@mantine/modals'
import { Notifications } from '@mantine/notifications'
import { useEffect } from 'react'
import { useAnswer, type Workbench, WorkbenchProvider } from './bridge/index.ts'
import { Shell } from './shell/Shell.tsx'
import { colourScheme } from './theme/colour-scheme.ts'
import { cssVariables, theme } from './theme/theme.ts'

export function App({ workbench }: { readonly workbench: Workbench }) {
  return (
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
      <WorkbenchProvider workbench={workbench}>
        <ModalsProvider>
          <Notifications position="bottom-right" limit={4} />
          <PreferredTheme />
          <Shell />
        </ModalsProvider>
      </WorkbenchProvider>
    </MantineProvider>
  )
}

/** The home's theme rules; Mantine keeps the last one for the moment before it is known. */
function PreferredTheme() {
  const { value } = useAnswer('preferences.get', {})
  const { setColorScheme } = useMantineColorScheme()
  const wanted = value?.preferences.theme
  useEffect(() => {
    if (wanted !== undefined) setColorScheme(colourScheme(wanted))
  }, [wanted, setColorScheme])
  return null
}
