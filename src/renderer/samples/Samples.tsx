/** What does it actually say? Responses of training, or of both policies on held-out requests. */
import { SegmentedControl } from '@mantine/core'
import { useSessionStorage } from '@mantine/hooks'
import { useAnswer } from '../bridge/index.ts'
import { Answered, EmptyState } from '../parts/index.ts'
import { HeldOutSamples } from './HeldOutSamples.tsx'
import classes from './samples.module.css'
import { TrainingSamples } from './TrainingSamples.tsx'

export function Samples({ studyId }: { readonly studyId: string }) {
  const [kind, setKind] = useSessionStorage({
    key: 'recompense.samples.kind',
    defaultValue: 'training',
    getInitialValueInEffect: false,
  })
  return (
    <>
      <div className={classes.bar}>
        <SegmentedControl
          aria-label="Which responses"
          value={kind}
          onChange={setKind}
          data={[
            { value: 'training', label: 'Sampled while learning' },
            { value: 'held-out', label: 'Held out: SFT beside PPO' },
          ]}
        />
      </div>
      {kind === 'training' ? <Training studyId={studyId} /> : <HeldOut studyId={studyId} />}
    </>
  )
}

function Training({ studyId }: { readonly studyId: string }) {
  const answer = useAnswer('rollouts.list', { study_id: studyId })
  return (
    <Answered answer={answer} what="Reading the responses">
      {(rollouts) => <TrainingSamples studyId={studyId} rollouts={rollouts} />}
    </Answered>
  )
}

function HeldOut({ studyId }: { readonly studyId: string }) {
  const answer = useAnswer('studies.show', { study_id: studyId })
  return (
    <Answered answer={answer} what="Reading the study">
      {({ study }) =>
        study.results === null ? (
          <EmptyState title="Not evaluated yet">
            After PPO both policies answer the held-out requests once; their answers stand here side by side.
          </EmptyState>
        ) : (
          <HeldOutSamples studyId={studyId} results={study.results} />
        )
      }
    </Answered>
  )
}
