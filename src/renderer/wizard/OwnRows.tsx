/** Files and folders of a stage on rows of one's own, the rows checked as they are named. */
import type { RequestParameters } from '../../shared/ipc.ts'
import { RowsCheck } from '../data/RowsCheck.tsx'
import { PathField } from '../parts/index.ts'
import { AdapterField } from './AdapterField.tsx'
import type { Draft, StageWizard } from './draft.ts'
import type { ChangeDraft } from './use-draft.ts'
import classes from './wizard.module.css'

interface Props {
  readonly wizard: StageWizard
  readonly draft: Draft
  readonly change: ChangeDraft
  readonly model: string
}

const kindOf: Readonly<Partial<Record<StageWizard, RequestParameters<'rows.check'>['kind']>>> = {
  sft: 'demonstration',
  reward: 'pair',
  ppo: 'prompt',
}
const columnsOf: Readonly<Partial<Record<StageWizard, string>>> = {
  sft: 'JSONL with id, prompt, completion',
  reward: 'JSONL with id, prompt, chosen, rejected',
  ppo: 'JSONL with id, prompt',
}

export function OwnRows({ wizard, draft, change, model }: Props) {
  const kind = kindOf[wizard] ?? 'prompt'
  return (
    <div className={classes.pair}>
      <div className={classes.column}>
        <PathField
          label="Rows to learn from"
          description={columnsOf[wizard] ?? ''}
          what="file"
          value={draft.data}
          onChange={(data) => change({ data })}
        />
        <RowsCheck file={draft.data} kind={kind} model={model} />
        {wizard !== 'ppo' && (
          <>
            <PathField
              label="Rows to validate on (optional)"
              description="Measured after each epoch; never chosen by"
              what="file"
              value={draft.validation}
              onChange={(validation) => change({ validation })}
            />
            <RowsCheck file={draft.validation} kind={kind} model={model} />
          </>
        )}
      </div>
      <div className={classes.column}>
        <AdapterField
          label={wizard === 'ppo' ? 'SFT adapter' : 'Adapter to start from (optional)'}
          description={
            wizard === 'ppo'
              ? 'The policy starts from it, and it is the frozen reference'
              : 'A PEFT folder; without one, a fresh adapter is drawn from the seed'
          }
          stage="sft"
          value={draft.initAdapter}
          onChange={(initAdapter) => change({ initAdapter })}
        />
        {wizard === 'ppo' && (
          <AdapterField
            label="Reward model"
            description="A PEFT folder with a score head; it stays frozen"
            stage="reward"
            value={draft.rewardAdapter}
            onChange={(rewardAdapter) => change({ rewardAdapter })}
          />
        )}
        <PathField
          label="Folder for the result"
          description="Gets a PEFT adapter; it must be new or empty"
          what="new-folder"
          value={draft.out}
          onChange={(out) => change({ out })}
        />
      </div>
    </div>
  )
}
