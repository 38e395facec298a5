/** An answer of the workbench, kept current: asked when first wanted, and again when the workbench says it changed. */
import { useCallback, useMemo, useSyncExternalStore } from 'react'
import type { Answers, RequestName, RequestParameters } from '../../shared/ipc.ts'
import { type AnswerState, AnswerStore } from './answer-store.ts'
import { useWorkbench } from './workbench.tsx'

export interface Answer<T> extends AnswerState<T> {
  readonly refresh: () => void
}

const nothing: AnswerState<never> = { value: undefined, error: undefined, loading: false }

/** @param parameters null asks nothing: the answer stays empty and is not loading */
export function useAnswer<Name extends RequestName>(
  name: Name,
  parameters: RequestParameters<Name> | null,
): Answer<Answers[Name]> {
  const { answers } = useWorkbench()
  const key = parameters === null ? null : AnswerStore.key(name, parameters)
  const subscribe = useCallback(
    (listener: () => void) => {
      if (key === null) return () => {}
      const asked = JSON.parse(key.slice(name.length + 1)) as RequestParameters<Name>
      return answers.watch(name, asked, listener)
    },
    [answers, name, key],
  )
  const state = useSyncExternalStore(subscribe, () => (key === null ? nothing : answers.peek<Name>(key)))
  return useMemo(
    () => ({
      ...state,
      refresh: () => {
        if (key !== null) answers.refresh(key)
      },
    }),
    [state, answers, key],
  )
}
