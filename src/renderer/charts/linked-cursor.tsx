/** One step under the pointer, shared by every chart of a group: small multiples are read at the same place. */
import { createContext, type ReactNode, useContext, useMemo, useState, useSyncExternalStore } from 'react'

export interface Cursor {
  readonly at: () => number | null
  readonly move: (x: number | null) => void
  readonly watch: (listener: () => void) => () => void
}

export function newCursor(): Cursor {
  let x: number | null = null
  const listeners = new Set<() => void>()
  return {
    at: () => x,
    move: (next) => {
      if (next === x) return
      x = next
      for (const listener of listeners) listener()
    },
    watch: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

const Group = createContext<Cursor | undefined>(undefined)

export function CursorGroup({ children }: { readonly children: ReactNode }) {
  const [cursor] = useState(newCursor)
  return <Group value={cursor}>{children}</Group>
}

/** The group's cursor, or one of its own for a chart that stands alone. */
export function useCursor(): Cursor {
  const shared = useContext(Group)
  const own = useMemo(newCursor, [])
  return shared ?? own
}

export function useCursorStep(cursor: Cursor): number | null {
  return useSyncExternalStore(cursor.watch, cursor.at)
}
