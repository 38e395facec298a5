/** The study the window is about: the one in the address, else the one last seen, else the newest. */
import { useEffect } from 'react'
import type { StudyListing } from '../../shared/study-document.ts'
import { useAnswer } from '../bridge/index.ts'
import { studyOf, useRoute } from '../routes/index.ts'

const slot = 'recompense.study'

export function useStudyInView(): StudyListing | null {
  const named = studyOf(useRoute())
  const { value: studies } = useAnswer('studies.list', {})
  useEffect(() => {
    if (named !== null) window.localStorage.setItem(slot, named)
  }, [named])
  const wanted = named ?? window.localStorage.getItem(slot)
  return studies?.find(({ study_id }) => study_id === wanted) ?? studies?.[0] ?? null
}
