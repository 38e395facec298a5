/** Files and folders of a stage on rows of one's own, the rows checked as they are named. */
import type { RequestParameters } from '../../shared/ipc.ts'
import { RuleFields } from '../credit/desk/RuleFields.tsx'
import { plainRules } from '../credit/desk/rule-texts.ts'
import { RowsCheck } from '../data/RowsCheck.tsx'
import { PathField } from '../parts/index.ts'
import { AdapterField } from './AdapterField.tsx'
import { atDesk, type Draft, type StageWizard } from './draft.ts'
import { GroupChoice, RolloutChoice } from './GroupChoice.tsx'
import { samples } from './request.ts'
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
  group: 'prompt',
  dpo: 'pair',
}
const columnsOf: Readonly<Partial<Record<StageWizard, string>>> = {
  sft: 'JSONL with id, prompt, completion',
  reward: 'JSONL with id, prompt, chosen, rejected',
  ppo: 'JSONL with id, prompt',
  group: 'JSONL with id, prompt',
  dpo: 'JSONL with id, prompt, chosen, rejected',
}

export function OwnRows({ wizard, draft, change, model }: Props) {
  const kind = kindOf[wizard] ?? 'prompt'
  const desk = atDesk(wizard, draft)
  const changeRules = (rules: Draft['rules']) => change({ rules: { ...draft.rules, ...rules } })
  return (
    <div className={classes.pair}>
      <div className={classes.column}>
        {wizard === 'group' && <GroupChoice draft={draft} change={change} />}
        {samples(wizard) && <RolloutChoice draft={draft} change={change} />}
        <PathField
          label="Rows to learn from"
          description={desk ? 'Tasks, as desk tasks writes them' : (columnsOf[wizard] ?? '')}
          what="file"
          value={draft.data}
          onChange={(data) => change({ data })}
        />
        {!desk && <RowsCheck file={draft.data} kind={kind} model={model} />}
        {!samples(wizard) && (
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
          label={samples(wizard) ? 'SFT adapter' : 'Adapter to start from (optional)'}
          description={
            samples(wizard)
              ? 'The policy starts from it, and it is the frozen reference'
              : wizard === 'dpo'
                ? 'The policy starts from it, and it is the frozen reference; without one, the base alone is'
                : 'A PEFT folder; without one, a fresh adapter is drawn from the seed'
          }
          stage="sft"
          value={draft.initAdapter}
          onChange={(initAdapter) => change({ initAdapter })}
        />
        {samples(wizard) && (
          <AdapterField
            label={desk ? 'Reward model (optional)' : 'Reward model'}
            description="A PEFT folder with a score head; it stays frozen"
            stage="reward"
            value={draft.rewardAdapter}
            onChange={(rewardAdapter) => change({ rewardAdapter })}
          />
        )}
        {desk && (
          <>
            <RuleFields rules={['reward_model_weight']} values={draft.rules} onChange={changeRules} />
            <details>
              <summary>Rules of the desk</summary>
              <div className={classes.column}>
                <RuleFields rules={plainRules} values={draft.rules} onChange={changeRules} />
              </div>
            </details>
          </>
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
