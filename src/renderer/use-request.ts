/** State of one request: waiting, answered or failed; asked again when its key changes. */
import { useEffect, useState } from 'react'

export type RequestState<T> =
  | { readonly state: 'waiting' }
  | { readonly state: 'answered'; readonly value: T }
  | { readonly state: 'failed'; readonly message: string }

/** @param key names what is asked for; an answer to an earlier key is dropped */
export function useRequest<T>(key: string, request: () => Promise<T>): RequestState<T> {
  const [answer, setAnswer] = useState<{ key: string; result: RequestState<T> } | undefined>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the request
  useEffect(() => {
    let current = true
    const settle = (result: RequestState<T>) => {
      if (current) setAnswer({ key, result })
    }
    request().then(
      (value) => settle({ state: 'answered', value }),
      (error: unknown) => settle({ state: 'failed', message: error instanceof Error ? error.message : String(error) }),
    )
    return () => {
      current = false
    }
  }, [key])
  return answer?.key === key ? answer.result : { state: 'waiting' }
}
