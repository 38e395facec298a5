/** The window of rows of a list that scrolls with the page. */
import { type RefObject, useEffect, useState } from 'react'
import { type RowWindow, rowWindow } from './row-window.ts'

export function useRowWindow(rows: number, rowHeight: number, body: RefObject<HTMLElement | null>): RowWindow {
  const [place, setPlace] = useState({ top: 0, view: 900 })
  useEffect(() => {
    let frame = 0
    const measure = () => {
      frame = 0
      const top = -(body.current?.getBoundingClientRect().top ?? 0)
      setPlace((was) => {
        // Redrawn only when a few rows have passed.
        if (Math.abs(was.top - top) < rowHeight * 4 && was.view === window.innerHeight) return was
        return { top, view: window.innerHeight }
      })
    }
    const schedule = () => {
      if (frame === 0) frame = requestAnimationFrame(measure)
    }
    measure()
    window.addEventListener('scroll', schedule, { passive: true, capture: true })
    window.addEventListener('resize', schedule)
    return () => {
      cancelAnimationFrame(frame)
      window.removeEventListener('scroll', schedule, { capture: true })
      window.removeEventListener('resize', schedule)
    }
  }, [rowHeight, body])
  return rowWindow(rows, rowHeight, place.top, place.view)
}
