/** Entry of the window. */
import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import '@mantine/spotlight/styles.css'
import './theme/tokens.css'
import './theme/base.css'
import { createRoot } from 'react-dom/client'
import { App } from './App.tsx'
import { workbenchOver } from './bridge/index.ts'
import { selectBridge } from './bridge/select-bridge.ts'

const place = document.getElementById('root')
if (place === null) throw new Error('the page has no root')
createRoot(place).render(<App workbench={workbenchOver(selectBridge())} />)
