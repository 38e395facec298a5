/**
 * What would direction-aware weights change? Token weights read from a reward model's gradients, and their ablations; or
 * whether the gain they predict reaches the parameters.
 */
import { NativeSelect, SegmentedControl } from '@mantine/core'
import { useCallback, useState } from 'react'
import type { CreditResultListing, TrajectoryList } from '../../../shared/credit.ts'
import { ablations } from '../../../shared/credit-run.ts'
import { type Answer, useAnswer } from '../../bridge/index.ts'
import { Answered, EmptyState, Notice, PathField } from '../../parts/index.ts'
import { replace } from '../../routes/index.ts'
import classes from '../credit.module.css'
import { JobLine } from '../JobLine.tsx'
import { firstPolicy, ofWeights, PolicyFields, policyRequest } from '../PolicyFields.tsx'
import { openResult, resultsFor } from '../results.ts'
import type { TabProps } from '../TabOf.tsx'
import { useCreditJob } from '../use-credit-job.ts'
import { DatcView } from './DatcView.tsx'
import { StudyPanel } from './StudyPanel.tsx'

const views = [
  { value: 'weights', label: 'Weights' },
  { value: 'study', label: 'Gain against a step' },
] as const
type View = (typeof views)[number]['value']

export function DatcTab({ route, source }: TabProps) {
  const list = useAnswer('credit.rollouts', { source })
  const { value: studies } = useAnswer('credit.datc-studies', {})
  const [chosen, choose] = useState<View | null>(null)
  const named = studies?.some(({ run_id }) => run_id === route.result) === true ? 'study' : 'weights'
  const view = chosen ?? named
  return (
    <>
      <SegmentedControl
        aria-label="About the weights"
        size="xs"
        mb="md"
        value={view}
        data={[...views]}
        onChange={(value) => choose(value as View)}
      />
      {view === 'study' ? (
        <Answered answer={list} what="Reading the rollouts">
          {(listed) => <StudyPanel key={listed.name} route={route} list={listed} />}
        </Answered>
      ) : (
        <Weights route={route} source={source} list={list} />
      )}
    </>
  )
}

interface WeightsProps extends TabProps {
  readonly list: Answer<TrajectoryList>
}

function Weights({ route, source, list }: WeightsProps) {
  const results = useAnswer('credit.results', {})
  const matching = resultsFor(results.value ?? [], 'credit-datc', source, route.rollouts)
  const finished = matching.filter(({ status }) => status === 'finished')
  const open = openResult(finished, route.result)
  const show = useCallback((result: string) => replace({ ...route, source, result }), [route, source])
  return (
    <div className={classes.methods}>
      <Answered answer={list} what="Reading the rollouts">
        {(listed) => <Form key={listed.name} list={listed} route={route} source={source} onEnded={show} />}
      </Answered>
      <div className={classes.result}>
        <Failed latest={matching[0]} />
        {open === null ? (
          <EmptyState title="No weights of these rollouts yet">
            DATC shares a response’s advantage among its tokens by how far each one’s direction in the policy’s logits
            agrees with the direction in which the reward rises.
          </EmptyState>
        ) : (
          <DatcView results={finished} open={open} route={route} source={source} onOpen={show} />
        )}
      </div>
    </div>
  )
}

function Failed({ latest }: { readonly latest: CreditResultListing | undefined }) {
  if (latest?.status !== 'failed') return null
  return (
    <Notice tone="bad" title="The newest reading failed">
      {latest.error ?? ''}
    </Notice>
  )
}

interface FormProps extends TabProps {
  readonly list: TrajectoryList
  readonly onEnded: (runId: string) => void
}

const elsewhere = '(elsewhere)'

function Form({ list, route, source, onEnded }: FormProps) {
  const [policy, setPolicy] = useState(() => firstPolicy(list))
  const [reward, setReward] = useState(list.reward_adapters[0]?.adapter ?? '')
  const [weight, setWeight] = useState('4')
  const [ablation, setAblation] = useState<(typeof ablations)[number]>('none')
  const job = useCreditJob(onEnded)
  const known = list.reward_adapters.some(({ adapter }) => adapter === reward)
  const ids = route.rollouts.length === 0 ? {} : { ids: [...route.rollouts] }
  const start = () =>
    job.start({
      kind: 'credit-datc',
      source,
      ...ids,
      ...policyRequest(policy),
      reward_adapter: reward.trim(),
      max_weight: Number(weight),
      ablation,
      seed: 49,
    })
  return (
    <div className={classes.form}>
      {list.reward_adapters.length > 0 && (
        <NativeSelect
          label="Reward model"
          value={known ? reward : elsewhere}
          data={[
            ...list.reward_adapters.map(({ name, adapter }) => ({ value: adapter, label: name })),
            { value: elsewhere, label: 'another one…' },
          ]}
          onChange={(event) => setReward(event.currentTarget.value === elsewhere ? '' : event.currentTarget.value)}
        />
      )}
      {!known && (
        <PathField
          label="Reward adapter"
          description="PEFT folder with its score head, over the same base model"
          what="folder"
          value={reward}
          onChange={setReward}
        />
      )}
      <PolicyFields list={list} value={policy} onChange={setPolicy} elsewhereMeans={ofWeights} />
      <NativeSelect
        label="Weights within [1/λ, λ], λ"
        value={weight}
        data={['2', '4', '8']}
        onChange={(event) => setWeight(event.currentTarget.value)}
      />
      <NativeSelect
        label="Ablation"
        description="no-angle: as if both directions agreed; shuffled: the same weights at other tokens"
        value={ablation}
        data={[...ablations]}
        onChange={(event) => setAblation(event.currentTarget.value as typeof ablation)}
      />
      <JobLine label="Read the weights" job={job} disabled={reward.trim() === ''} onStart={start} />
    </div>
  )
}
