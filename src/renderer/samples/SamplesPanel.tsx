/** The samples of a study as a screen of their own. */
import { Screen } from '../parts/index.ts'
import { Samples } from './Samples.tsx'

export function SamplesPanel({ studyId }: { readonly studyId: string }) {
  return (
    <Screen title="Samples" question="What does it actually say, and do the two judges agree?">
      <Samples studyId={studyId} />
    </Screen>
  )
}
