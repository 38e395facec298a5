/** The choice kept with a study's report: shown as it is changed, saved a moment later, never lost by going elsewhere. */
import { useCallback, useEffect, useRef, useState } from 'react'
import type { ReportChoice } from '../../shared/ipc.ts'
import { ask, useAnswer, useWorkbench, wordsOf } from '../bridge/index.ts'

const pause = 500

export function useReportChoice(studyId: string) {
  const { bridge } = useWorkbench()
  const kept = useAnswer('report.choice', { study_id: studyId })
  const [changed, setChanged] = useState<ReportChoice | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const unsaved = useRef<ReportChoice | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const { refresh } = kept
  const save = useCallback(async () => {
    clearTimeout(timer.current)
    const choice = unsaved.current
    if (choice === null) return
    unsaved.current = null
    try {
      await ask(bridge, 'report.choose', { study_id: studyId, choice })
      setProblem(null)
    } catch (error) {
      setProblem(wordsOf(error))
    }
    refresh()
  }, [bridge, studyId, refresh])
  useEffect(() => {
    const leaving = () => void save()
    window.addEventListener('pagehide', leaving)
    return () => {
      window.removeEventListener('pagehide', leaving)
      leaving()
    }
  }, [save])
  const choice = changed ?? kept.value?.choice
  const change = (part: Partial<ReportChoice>) => {
    if (choice === undefined) return
    const next = { ...choice, ...part }
    setChanged(next)
    unsaved.current = next
    clearTimeout(timer.current)
    timer.current = setTimeout(() => void save(), pause)
  }
  return {
    choice,
    change,
    warning: kept.value?.warning ?? null,
    problem: problem ?? kept.error ?? null,
    retry: refresh,
  }
}
