/** A wizard's draft, kept while the window is open: a look elsewhere loses nothing. */
import { useSessionStorage } from '@mantine/hooks'
import { useCallback } from 'react'
import { type Draft, emptyDraft, type StageWizard, targetsOf } from './draft.ts'

export function useDraft(wizard: StageWizard, study: string | null) {
  const [kept, keep, forget] = useSessionStorage<Draft>({
    key: `recompense.draft.${wizard}`,
    defaultValue: { ...emptyDraft, target: targetsOf(wizard)[0] ?? 'study', study: study ?? '' },
    getInitialValueInEffect: false,
  })
  // A draft of an older window may lack what is new.
  const draft = { ...emptyDraft, ...kept }
  const change = useCallback((part: Partial<Draft>) => keep((was) => ({ ...emptyDraft, ...was, ...part })), [keep])
  return { draft, change, forget }
}

export type ChangeDraft = ReturnType<typeof useDraft>['change']
