/** How the rewards of a group become credit of tokens, and where rollouts come from. */
import { NativeSelect } from '@mantine/core'
import { outcomeStages } from '../../shared/group-run.ts'
import type { Draft, OutcomeStage } from './draft.ts'
import type { ChangeDraft } from './use-draft.ts'

const methods: Readonly<Record<OutcomeStage, readonly [string, string]>> = {
  grpo: ['GRPO', 'Every token gets its response’s reward, less the group’s mean, over its deviation'],
  rloo: ['RLOO', 'Every token gets its response’s reward less the mean of the others'],
  datc: ['DATC', 'GRPO’s advantage, shared among tokens along the reward model’s gradient'],
  red: ['RED', 'A token is paid what it changes in the reward model’s score so far'],
  p2t: ['P2T', 'A token is paid its first-order influence on the score'],
  comppo: ['CompPO', 'Advantages gated by the policy’s own attention, with a linear critic on its states'],
}

export function GroupChoice({ draft, change }: { readonly draft: Draft; readonly change: ChangeDraft }) {
  return (
    <NativeSelect
      label="Method"
      description={methods[draft.method][1]}
      value={draft.method}
      data={outcomeStages.map((method) => ({ value: method, label: methods[method][0] }))}
      onChange={(event) => change({ method: event.currentTarget.value as OutcomeStage })}
    />
  )
}

/** Single responses, or episodes of the desk. */
export function RolloutChoice({ draft, change }: { readonly draft: Draft; readonly change: ChangeDraft }) {
  return (
    <NativeSelect
      label="Rollouts"
      value={draft.environment}
      data={[
        { value: '', label: 'single responses to prompts, judged by a reward model' },
        {
          value: 'desk',
          label: 'episodes of the desk, judged by its rules',
        },
      ]}
      onChange={(event) => change({ environment: event.currentTarget.value as Draft['environment'] })}
    />
  )
}
