/** The window around every screen. */
import { AppShell, Burger, Kbd, UnstyledButton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { hashOf, home, placeKey, useRoute } from '../routes/index.ts'
import { ConnectionBanner } from './ConnectionBanner.tsx'
import { ErrorBoundary } from './ErrorBoundary.tsx'
import { JobAnnouncer } from './JobAnnouncer.tsx'
import { JobPill } from './JobPill.tsx'
import { Keys, openPalette } from './Keys.tsx'
import { Navigation } from './Navigation.tsx'
import { Palette } from './Palette.tsx'
import { ScreenOf } from './ScreenOf.tsx'
import classes from './shell.module.css'

const commandKey = navigator.platform.startsWith('Mac') ? '⌘ K' : 'Ctrl K'

export function Shell() {
  const route = useRoute()
  const [menu, { toggle, close }] = useDisclosure()
  return (
    <>
      <button type="button" className={classes.skip} onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <AppShell
        header={{ height: 48 }}
        navbar={{ width: 188, breakpoint: 'sm', collapsed: { mobile: !menu } }}
        padding={0}
        transitionDuration={0}
      >
        <AppShell.Header>
          <div className={classes.header}>
            <Burger opened={menu} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Navigation" />
            <a className={classes.brand} href={hashOf(home)}>
              <img src="./icon.svg" alt="" />
              Recompense
            </a>
            <div className={classes.spring} />
            <JobPill />
            <UnstyledButton className={classes.palette} onClick={openPalette}>
              <span>Search and commands</span>
              <Kbd size="xs">{commandKey}</Kbd>
            </UnstyledButton>
          </div>
        </AppShell.Header>
        <AppShell.Navbar>
          <Navigation onMove={close} />
        </AppShell.Navbar>
        <AppShell.Main id="main" tabIndex={-1}>
          <ConnectionBanner />
          <ErrorBoundary key={placeKey(route)}>
            <ScreenOf route={route} />
          </ErrorBoundary>
        </AppShell.Main>
      </AppShell>
      <Palette />
      <Keys />
      <JobAnnouncer />
    </>
  )
}
