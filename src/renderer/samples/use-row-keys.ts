/** `j` and `k` move through rows, `Enter` opens one, `/` goes to the filter; never while something is typed. */
import { type RefObject, useEffect } from 'react'

interface Rows {
  readonly ids: readonly string[]
  readonly selected: string | null
  readonly onSelect: (id: string) => void
  readonly onOpen?: ((id: string) => void) | undefined
  readonly filter: RefObject<HTMLInputElement | null>
}

export function useRowKeys({ ids, selected, onSelect, onOpen, filter }: Rows): void {
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
      const target = event.target instanceof HTMLElement ? event.target : null
      if (target?.closest(typing) != null) {
        if (event.key === 'Escape' && target === filter.current) filter.current?.blur()
        return
      }
      const at = selected === null ? -1 : ids.indexOf(selected)
      if (event.key === '/') filter.current?.focus()
      else if (event.key === 'j') select(Math.min(ids.length - 1, at + 1))
      else if (event.key === 'k') select(Math.max(0, at - 1))
      else if (event.key === 'Enter' && selected !== null && onOpen !== undefined && opens(target)) onOpen(selected)
      else return
      event.preventDefault()
    }
    const select = (index: number) => {
      const id = ids[index]
      if (id !== undefined) onSelect(id)
    }
    window.addEventListener('keydown', listener)
    return () => window.removeEventListener('keydown', listener)
  }, [ids, selected, onSelect, onOpen, filter])
}

/** Where keys are text, or belong to something opened over the rows. A radio or a switch takes no letters. */
const typing =
  'input:not([type="radio"]):not([type="checkbox"]), textarea, select, [contenteditable], [role="dialog"], [role="menu"]'

/** A focused button or link keeps its own Enter. */
const opens = (target: HTMLElement | null): boolean =>
  target?.closest('button, a, [role="button"], [role="tab"]') == null
