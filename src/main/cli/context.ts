/** What every command is given: where data lives, where words go, and how it is told to stop. */
import type { Interrupts } from './interrupt.ts'
import type { ProgressSink } from './progress.ts'
import type { Style } from './style.ts'

export interface CommandContext {
  /** The data folder, absolute; not created until something is stored. */
  readonly home: string
  readonly json: boolean
  /** For what goes to stdout. */
  readonly style: Style
  readonly progress: ProgressSink
  readonly interrupts: Interrupts
  /** A remark on stderr. */
  note(line: string): void
}
