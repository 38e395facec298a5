/** At which parameters: the run's own policies where there are any, else a model and an adapter by their folders. */
import { NativeSelect } from '@mantine/core'
import type { PolicyChoice, TrajectoryList } from '../../shared/credit.ts'
import { Notice, PathField } from '../parts/index.ts'

export interface Policy {
  /** Empty: as the source knows it. */
  readonly model: string
  /** Folder; empty: the base alone. */
  readonly adapter: string
}

const elsewhere = '(elsewhere)'

export const firstPolicy = ({ policies }: TrajectoryList): Policy => ({
  model: '',
  adapter: policies[0]?.adapter ?? '',
})

interface Props {
  readonly list: TrajectoryList
  readonly value: Policy
  readonly onChange: (policy: Policy) => void
  /** What a policy that did not sample these rollouts means for what is computed here; default: for shares. */
  readonly elsewhereMeans?: (policy: string) => string
}

const ofShares = (policy: string) => `The shares are of the gradient at ${policy}, not of the update that the run made.`

export function PolicyFields({ list, value, onChange, elsewhereMeans = ofShares }: Props) {
  const known = list.policies.some(({ adapter }) => adapter === value.adapter)
  const choice = known ? value.adapter : value.adapter === '' ? '' : elsewhere
  return (
    <>
      <NativeSelect
        label="At the parameters of"
        value={choice}
        onChange={(event) => {
          const { value: adapter } = event.currentTarget
          onChange({ ...value, adapter: adapter === elsewhere ? '/' : adapter })
        }}
        data={[
          ...list.policies.map(({ name, adapter, sampled }) => ({
            value: adapter,
            label: `${name}${sampled === true ? ', which sampled these' : ''}`,
          })),
          { value: '', label: 'the base model alone, in a fresh adapter' },
          { value: elsewhere, label: 'another adapter…' },
        ]}
      />
      {choice === elsewhere && (
        <PathField
          label="Adapter"
          description="PEFT folder of the policy"
          what="folder"
          value={value.adapter === '/' ? '' : value.adapter}
          onChange={(adapter) => onChange({ ...value, adapter: adapter === '' ? '/' : adapter })}
        />
      )}
      {(list.model === null || value.model !== '') && (
        <PathField
          label="Base model"
          description="The folder of the model that sampled"
          what="folder"
          value={value.model}
          onChange={(model) => onChange({ ...value, model })}
        />
      )}
      <Sampled choice={list.policies.find(({ adapter }) => adapter === value.adapter)} means={elsewhereMeans} />
    </>
  )
}

/** For weights over tokens. */
export const ofWeights = (policy: string) =>
  `The weights are read at ${policy}: the policy that sampled would give these tokens others.`

interface SampledProps {
  readonly choice: PolicyChoice | undefined
  readonly means: (policy: string) => string
}

function Sampled({ choice, means }: SampledProps) {
  if (choice === undefined || choice.sampled !== false) return null
  return <Notice tone="warn">Other parameters sampled these rollouts. {means(choice.name)}</Notice>
}

/** As a job request has it. */
export function policyRequest({ model, adapter }: Policy): { model?: string; adapter?: string } {
  return {
    ...(model.trim() === '' ? {} : { model: model.trim() }),
    ...(adapter === '' || adapter === '/' ? {} : { adapter: adapter.trim() }),
  }
}
