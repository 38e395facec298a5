/** Entry of the window. */
import { createRoot } from 'react-dom/client'
import { bridge } from './bridge.ts'
import './style.css'
import { StudiesScreen } from './studies/StudiesScreen.tsx'

const place = document.getElementById('root')
if (place === null) throw new Error('the page has no root')
createRoot(place).render(
  bridge === undefined ? (
    <p role="alert">This page belongs inside the Recompense application.</p>
  ) : (
    <StudiesScreen bridge={bridge} />
  ),
)
