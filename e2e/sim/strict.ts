/** The stand-in's own rules: what was broken is told to the harness, and what is not modelled is an error. */
export type Msg = Record<string, unknown>

export const post = (message: Msg) => process.send?.(message)

export function violation(rule: string): never {
  post({ t: 'violation', rule })
  throw new Error(`electron-sim: ${rule}`)
}

/** Anything not modelled is an error, not undefined. */
export function strict<T extends object>(name: string, o: T): T {
  return new Proxy(o, {
    get(t, k, r) {
      if (typeof k === 'symbol' || k in t || k === 'then') return Reflect.get(t, k, r)
      return violation(`${name}.${k} is not modelled`)
    },
  })
}

/** An event that a listener may cancel. */
export function cancellable() {
  const event = {
    defaultPrevented: false,
    preventDefault: () => {
      event.defaultPrevented = true
    },
  }
  return event
}
