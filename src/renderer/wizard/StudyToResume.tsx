/** The studies that stand still, to go on with one. */
import { Button, Radio } from '@mantine/core'
import type { StudyListing } from '../../shared/study-document.ts'
import { useAnswer } from '../bridge/index.ts'
import { Answered, EmptyState, Hash, Status } from '../parts/index.ts'
import { go } from '../routes/index.ts'
import { stageWords } from '../shell/job-words.ts'
import { ago } from '../words/index.ts'
import classes from './wizard.module.css'

interface Props {
  readonly chosen: string
  readonly onChoose: (studyId: string) => void
}

export function StudyToResume({ chosen, onChoose }: Props) {
  const studies = useAnswer('studies.list', {})
  return (
    <Answered answer={studies}>
      {(listed) => {
        const still = listed.filter(({ status }) => status !== 'finished' && status !== 'running')
        if (still.length === 0) {
          return (
            <EmptyState
              title="No study stands still"
              action={
                listed[0] !== undefined && (
                  <Button variant="default" onClick={() => go({ screen: 'study', study: listed[0]?.study_id ?? '' })}>
                    Open the newest study
                  </Button>
                )
              }
            >
              A study that is stopped, or that failed, can be taken up here exactly where it ended.
            </EmptyState>
          )
        }
        return (
          <Radio.Group label="Which study?" value={chosen} onChange={onChoose}>
            <div className={classes.studies}>
              {still.map((study) => (
                <StudyCard key={study.study_id} study={study} chosen={study.study_id === chosen} />
              ))}
            </div>
          </Radio.Group>
        )
      }}
    </Answered>
  )
}

function StudyCard({ study, chosen }: { readonly study: StudyListing; readonly chosen: boolean }) {
  return (
    <div>
      <Radio.Card value={study.study_id} className={classes.target ?? ''}>
        <Radio.Indicator size="xs" />
        <span>
          <strong>{study.name}</strong>
          <small>
            <Status status={study.status} /> · seed {study.seed} · begun {ago(study.created_at)}
            {study.next_stage !== null && ` · goes on with ${stageWords[study.next_stage]}`}
          </small>
        </span>
      </Radio.Card>
      {chosen && <Parents studyId={study.study_id} />}
    </div>
  )
}

/** What the study goes on from, by its hash. */
function Parents({ studyId }: { readonly studyId: string }) {
  const { value } = useAnswer('studies.show', { study_id: studyId })
  if (value === undefined) return null
  const { model, corpus, final_learned_sha256: learned, config_sha256: config } = value.study
  const parents: readonly (readonly [string, string | null | undefined])[] = [
    ['Base model', model.base_sha256],
    ['Corpus', corpus?.manifest_sha256],
    ['Settings', config],
    ['SFT adapter', learned.policy],
    ['Reward model', learned.reward],
  ]
  return (
    <dl className={classes.parents}>
      {parents.map(([name, hash]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{hash === null || hash === undefined ? 'not made yet' : <Hash value={hash} of={name} />}</dd>
        </div>
      ))}
    </dl>
  )
}
