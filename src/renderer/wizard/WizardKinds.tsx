/** The wizards, to change from one to another. */
import { NativeSelect } from '@mantine/core'
import { go, type WizardName } from '../routes/index.ts'
import type { StageWizard } from './draft.ts'

const kinds: readonly { readonly value: WizardName; readonly label: string }[] = [
  { value: 'data', label: 'Study from its data' },
  { value: 'sft', label: 'SFT' },
  { value: 'reward', label: 'Reward model' },
  { value: 'ppo', label: 'PPO' },
  { value: 'group', label: 'GRPO and its kin' },
  { value: 'dpo', label: 'DPO' },
  { value: 'probes', label: 'Probes' },
  { value: 'report', label: 'Audit report' },
]

export function WizardKinds({ here }: { readonly here: StageWizard }) {
  return (
    <NativeSelect
      aria-label="What to start"
      value={here}
      data={[...kinds]}
      onChange={(event) => go({ screen: 'new', wizard: event.currentTarget.value as WizardName, study: null })}
    />
  )
}
