/**
 * Many charts that change at once, as those of a running stage do every second, take longer than a frame: each is drawn
 * anew in its turn, as many a frame as its time allows, so that the window never stands still for all of them.
 */
import { useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'

/** Of the 16 ms of a frame; one piece may take longer, and then it is the frame's only one. */
const budgetMs = 10

const waiting = new Map<object, () => void>()
let asked = false

/** What waits for its turn already is replaced: only the latest is drawn. */
function inTurn(key: object, draw: () => void): void {
  waiting.set(key, draw)
  ask()
}

function ask(): void {
  if (asked || waiting.size === 0) return
  asked = true
  // A task after the frame: what is drawn here shows in the next one, and input comes in between.
  requestAnimationFrame(() => setTimeout(drawSome))
}

function drawSome(): void {
  asked = false
  const until = performance.now() + budgetMs
  for (const [key, draw] of waiting) {
    waiting.delete(key)
    flushSync(draw)
    if (performance.now() > until) break
  }
  ask()
}

/** The latest of `value` whose turn has come; undefined before the first. Values that are equal in every part cost nothing. */
export function usePaced<T extends object>(value: T): T | undefined {
  const [shown, show] = useState<T>()
  const [key] = useState(() => ({}))
  const latest = useRef<T>(undefined)
  useEffect(() => {
    if (latest.current !== undefined && sameParts(latest.current, value)) return
    latest.current = value
    inTurn(key, () => show(value))
  })
  useEffect(() => () => void waiting.delete(key), [key])
  return shown
}

function sameParts(one: object, other: object): boolean {
  const names = Object.keys(one)
  const read = (from: object, name: string) => (from as Readonly<Record<string, unknown>>)[name]
  return (
    names.length === Object.keys(other).length && names.every((name) => Object.is(read(one, name), read(other, name)))
  )
}
