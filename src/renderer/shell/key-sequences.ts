/** Keys that act on their own, one or two in a row (`g s`), never while something is typed. */

export interface KeyPress {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly target: EventTarget | null
}

/** Milliseconds in which the second key may follow. */
export const sequenceGap = 1500

export type KeyActions = Readonly<Record<string, () => void>>

/**
 * @param actionsNow what keys do at this moment; it may change between the two keys of a sequence
 * @returns a function that takes each key and runs the action its sequence names; true when it did
 */
export function keySequences(actionsNow: () => KeyActions, now: () => number = Date.now): (press: KeyPress) => boolean {
  let first = ''
  let at = 0
  return (press) => {
    if (press.ctrlKey || press.metaKey || press.altKey || isTyping(press.target)) return false
    const actions = actionsNow()
    const sequence = first !== '' && now() - at <= sequenceGap ? `${first} ${press.key}` : press.key
    const action = actions[sequence] ?? actions[press.key]
    first = ''
    if (action !== undefined) {
      action()
      return true
    }
    if (Object.keys(actions).some((keys) => keys.startsWith(`${press.key} `))) {
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
