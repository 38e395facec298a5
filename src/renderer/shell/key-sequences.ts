/** Keys that act on their own, one or two in a row (`g s`), never while something is typed. */

export interface KeyPress {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly target: EventTarget | null
}

export const sequenceGap = 1200

/** @returns a function that takes each key and runs the action its sequence names; true when it did */
export function keySequences(
  actions: Readonly<Record<string, () => void>>,
  now: () => number = Date.now,
): (press: KeyPress) => boolean {
  let first = ''
  let at = 0
  const begins = new Set(Object.keys(actions).flatMap((keys) => (keys.includes(' ') ? [keys.split(' ')[0]] : [])))
  return (press) => {
    if (press.ctrlKey || press.metaKey || press.altKey || isTyping(press.target)) return false
    const sequence = first !== '' && now() - at <= sequenceGap ? `${first} ${press.key}` : press.key
    const action = actions[sequence] ?? actions[press.key]
    first = ''
    if (action !== undefined) {
      action()
      return true
    }
    if (begins.has(press.key)) {
      first = press.key
      at = now()
    }
    return false
  }
}

function isTyping(target: EventTarget | null): boolean {
  if (typeof HTMLElement === 'undefined' || !(target instanceof HTMLElement)) return false
  return target.isContentEditable || target.closest('input, textarea, select, [role="dialog"]') !== null
}
