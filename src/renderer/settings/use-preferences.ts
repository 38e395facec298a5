/** The home's preferences, saved as they are changed. */
import { useState } from 'react'
import type { Preferences } from '../../shared/ipc.ts'
import { ask, useAnswer, useWorkbench, wordsOf } from '../bridge/index.ts'

export function usePreferences() {
  const { bridge } = useWorkbench()
  const { value, error, refresh } = useAnswer('preferences.get', {})
  const [problem, setProblem] = useState<string | undefined>()
  const save = async (preferences: Preferences): Promise<void> => {
    try {
      await ask(bridge, 'preferences.set', preferences)
      setProblem(undefined)
    } catch (reason) {
      setProblem(wordsOf(reason))
      throw reason
    } finally {
      refresh()
    }
  }
  return { preferences: value?.preferences, warning: value?.warning ?? null, problem: problem ?? error, save }
}
