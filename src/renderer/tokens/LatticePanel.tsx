/** The token lattice of one rollout as a screen of its own, with the way to its neighbours. */
import { Button } from '@mantine/core'
import { useAnswer } from '../bridge/index.ts'
import { Answered, Screen } from '../parts/index.ts'
import { go, Link } from '../routes/index.ts'
import { Lattice } from './Lattice.tsx'

export function LatticePanel({ studyId, rolloutId }: { readonly studyId: string; readonly rolloutId: string }) {
  const answer = useAnswer('rollouts.show', { study_id: studyId, rollout_id: rolloutId })
  const { value: others = [] } = useAnswer('rollouts.list', { study_id: studyId })
  const at = others.findIndex((one) => one.rollout_id === rolloutId)
  const to = (offset: number) => {
    const other = at < 0 ? undefined : others[at + offset]
    return other === undefined ? undefined : () => go({ screen: 'lattice', study: studyId, rollout: other.rollout_id })
  }
  const [before, after] = [to(-1), to(1)]
  return (
    <Screen
      title="Token lattice"
      question="Which token carried it?"
      actions={
        <>
          <Button variant="default" disabled={before === undefined} onClick={before}>
            Previous rollout
          </Button>
          <Button variant="default" disabled={after === undefined} onClick={after}>
            Next rollout
          </Button>
          <Link to={{ screen: 'samples', study: studyId }}>All samples</Link>
        </>
      }
    >
      <Answered answer={answer} what="Reading the tokens">
        {(view) => <Lattice studyId={studyId} view={view} others={others} />}
      </Answered>
    </Screen>
  )
}
