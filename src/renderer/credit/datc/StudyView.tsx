/** One study of single steps among those kept: its points, what they come to, and what may be concluded. */
import { useMemo } from 'react'
import type { DatcStudyListing, DatcStudyResult } from '../../../shared/datc-study.ts'
import { ask, useAnswer, useWorkbench } from '../../bridge/index.ts'
import { Plane } from '../../charts/index.ts'
import { Answered, Notice } from '../../parts/index.ts'
import { counted, setting } from '../../words/index.ts'
import classes from '../credit.module.css'
import { PlainTable } from '../PlainTable.tsx'
import own from './study.module.css'
import { batchTable, type ReadStudy, studiesTable, studyPoints, summaryTable } from './study-tables.ts'
import { useEach } from './use-each.ts'

interface Props {
  /** Finished ones, newest first. */
  readonly studies: readonly DatcStudyListing[]
  readonly open: DatcStudyListing
  readonly onOpen: (runId: string) => void
}

const mostCompared = 12
/** As many as the method's own study takes at least. */
const enoughBatches = 100

const readOf = ({ listing, study }: DatcStudyResult): ReadStudy[] => (study === null ? [] : [{ listing, study }])

export function StudyView({ studies, open, onOpen }: Props) {
  const { bridge } = useWorkbench()
  const read = useEach(
    studies.slice(0, mostCompared).map(({ run_id }) => run_id),
    (run_id) => ask(bridge, 'credit.datc-study', { run_id }),
  ).flatMap(readOf)
  const answer = useAnswer('credit.datc-study', { run_id: open.run_id })
  return (
    <>
      {read.length > 1 && (
        <section>
          <PlainTable
            name="datc-studies"
            table={studiesTable(read)}
            note="A row opens its points."
            selected={read.findIndex(({ listing }) => listing.run_id === open.run_id)}
            onSelect={(row) => onOpen(read[row]?.listing.run_id ?? open.run_id)}
          />
        </section>
      )}
      <Answered answer={answer} what="Reading the study">
        {(result) => {
          const [one] = readOf(result)
          return one === undefined ? null : <Reading {...one} />
        }}
      </Answered>
    </>
  )
}

function Reading({ listing: { prompts_name, config, batches }, study }: ReadStudy) {
  const points = useMemo(() => ({ adamw: studyPoints(study, 'adamw'), plain: studyPoints(study, 'plain') }), [study])
  return (
    <>
      <p className={classes.figures}>
        <span>
          <b>{counted(batches, 'batch', 'batches')}</b> of {config.prompts_per_rollout} × {config.group_size} rollouts
          to {prompts_name}
        </span>
        <span>
          λ {setting(config.max_weight)}, ablation {config.ablation}, learning rate {setting(config.learning_rate)},
          seed {config.seed}
        </span>
      </p>
      {study.rows.every(({ informative_groups }) => informative_groups === 0) ? (
        <Notice tone="warn" title="Nothing to share out">
          In every batch each group was rewarded alike, so every advantage, X and P are zero. Choose more rollouts of a
          prompt, or prompts on which the reward model tells responses apart.
        </Notice>
      ) : (
        batches < enoughBatches && (
          <Notice tone="warn" title={`${batches} batches are few`}>
            A rank correlation over so few can lie far from 0 by chance alone; take {enoughBatches} or more before it is
            quoted.
          </Notice>
        )
      )}
      <div className={own.planes}>
        <Plane
          name="datc-study-adamw"
          title="One AdamW step"
          chart={points.adamw}
          caption="A point a batch. P is what the step on DATC’s gradient adds over that on GRPO’s to the surrogate reward, from the same parameters, to first order."
        />
        <Plane
          name="datc-study-plain"
          title="Plain gradient step"
          chart={points.plain}
          caption="The same with a step of length 1 along each gradient, without AdamW’s scaling and clip."
        />
      </div>
      <div>
        <PlainTable name="datc-study-summary" table={summaryTable(study)} />
      </div>
      <section className={own.claims} aria-label="What this can and cannot claim">
        <h3>What this can and cannot claim</h3>
        <ul>
          <li>
            It tests whether the gain that the weights predict, as if each token had logits of its own, shows in a step
            of the parameters that all tokens share. A correlation near 0 says that, on this policy, the prediction
            tells little about the step.
          </li>
          <li>That X is above 0 is no finding: the weights are chosen so.</li>
          <li>
            P is first order, on the reward model’s linearised score of these responses. It is neither the reward after
            the step nor that of a run, and says nothing of whether responses are better.
          </li>
          <li>
            All batches start from one policy and one reward model: another policy, size of model or seed may answer
            otherwise.
          </li>
        </ul>
      </section>
      <div>
        <PlainTable name="datc-study-batches" table={batchTable(study)} most={20} />
      </div>
    </>
  )
}
