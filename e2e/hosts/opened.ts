/** What each host gives a spec. */
import type { BrowserContext, Page } from '@playwright/test'

export interface Launch {
  readonly dir: string
  readonly context: BrowserContext
  /** Ends the test as skipped, for a host that is not on this machine. */
  readonly skip: (reason: string) => void
  /** Given every page before it loads. */
  readonly watch: (page: Page) => void
}

export interface Opened {
  readonly page: Page
  /** Another window on the same workbench; undefined where the host has only one. */
  readonly another: (() => Promise<Page>) | undefined
  /** Closes the windows and ends the host; resolves when it is gone. */
  close(): Promise<void>
}
