/** Parents and data: what the stage needs, where it comes from, and what is missing with the wizard that makes it. */
import { Button, Radio, TextInput } from '@mantine/core'
import { CorpusPreview } from '../data/CorpusPreview.tsx'
import { go } from '../routes/index.ts'
import { definitions } from './definitions.ts'
import { type Draft, type StageWizard, type Target, targetsOf } from './draft.ts'
import { defaultSettings } from './fields/setting-keys.ts'
import { ModelChoice } from './ModelChoice.tsx'
import { OwnRows } from './OwnRows.tsx'
import type { Missing } from './request.ts'
import { StudyToResume } from './StudyToResume.tsx'
import type { ChangeDraft } from './use-draft.ts'
import classes from './wizard.module.css'

interface Props {
  readonly wizard: StageWizard
  readonly draft: Draft
  readonly change: ChangeDraft
  readonly missing: readonly Missing[]
  readonly embeddedModel: string
}

const targetWords: Readonly<Record<Target, readonly [string, string]>> = {
  study: ['A new study', 'Every stage in its order, from the data to the report'],
  resume: ['Go on with a study', 'One that was stopped or failed; finished stages are kept'],
  rows: ['My own rows', 'This stage alone, on a file of yours'],
}

export function InputsStep({ wizard, draft, change, missing, embeddedModel }: Props) {
  const definition = definitions[wizard]
  const targets = targetsOf(wizard)
  const seed = Number(draft.changes.seed ?? defaultSettings('study', draft.preset).seed)
  return (
    <div className={classes.inputs}>
      {targets.length > 1 && (
        <Radio.Group
          label="What shall start?"
          value={draft.target}
          onChange={(target) => change({ target: target as Target, changes: {} })}
        >
          <div className={classes.targets}>
            {targets.map((target) => (
              <Radio.Card key={target} value={target} className={classes.target ?? ''}>
                <Radio.Indicator size="xs" />
                <span>
                  <strong>{targetWords[target][0]}</strong>
                  <small>{targetWords[target][1]}</small>
                </span>
              </Radio.Card>
            ))}
          </div>
        </Radio.Group>
      )}
      {draft.target === 'resume' ? (
        <StudyToResume chosen={draft.study} onChoose={(study) => change({ study })} />
      ) : (
        <div className={classes.pair}>
          <div className={classes.column}>
            {draft.target === 'study' && (
              <TextInput
                label="Name of the study"
                description="How you will find it again; left empty, it is named after its settings"
                value={draft.name}
                maxLength={200}
                onChange={(event) => change({ name: event.currentTarget.value })}
              />
            )}
            <ModelChoice draft={draft} change={change} />
          </div>
          {draft.target === 'study' && <Needs wizard={wizard} />}
        </div>
      )}
      {draft.target === 'rows' && (
        <OwnRows wizard={wizard} draft={draft} change={change} model={draft.model || embeddedModel} />
      )}
      {missing.length > 0 && draft.target !== 'resume' && (
        <ul className={classes.missing} aria-label="Missing">
          {missing.map(({ what, madeBy }) => (
            <li key={what}>
              <span>Missing: {what}</span>
              {madeBy !== undefined && (
                <Button
                  size="compact-xs"
                  variant="default"
                  onClick={() => go({ screen: 'new', wizard: madeBy, study: null })}
                >
                  Make it: {definitions[madeBy].title}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {wizard === 'data' && Number.isSafeInteger(seed) && (
        <section>
          <h2>The data of seed {seed}</h2>
          <CorpusPreview seed={seed} />
        </section>
      )}
      <p className={classes.makes}>
        <strong>What it makes.</strong> {definition.makes}
      </p>
    </div>
  )
}

function Needs({ wizard }: { readonly wizard: StageWizard }) {
  return (
    <section aria-labelledby="needs">
      <h2 id="needs">What it needs</h2>
      <dl className={classes.needed}>
        {definitions[wizard].needs.map(({ what, inStudy }) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>{inStudy}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
