/** Several documents that never change once they are there, each read once. */
import { useEffect, useState } from 'react'

/** In the order of `keys`; those not read yet, or that cannot be read, are left out. */
export function useEach<T>(keys: readonly string[], read: (key: string) => Promise<T>): readonly T[] {
  const [known, setKnown] = useState<ReadonlyMap<string, T>>(new Map())
  const wanted = keys.join('\n')
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is read depends on the keys alone
  useEffect(() => {
    let gone = false
    for (const key of keys) {
      if (known.has(key)) continue
      read(key).then(
        (value) => {
          if (!gone) setKnown((before) => new Map(before).set(key, value))
        },
        () => {},
      )
    }
    return () => {
      gone = true
    }
  }, [wanted])
  return keys.flatMap((key) => {
    const value = known.get(key)
    return value === undefined ? [] : [value]
  })
}
