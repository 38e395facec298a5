/** Starts a study of single steps: which policy and reward model, which prompts, how many batches of which size. */
import { NativeSelect, NumberInput, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import type { TrajectoryList } from '../../../shared/credit.ts'
import { ablations } from '../../../shared/credit-run.ts'
import { fewestBatches } from '../../../shared/datc-study.ts'
import { useAnswer } from '../../bridge/index.ts'
import { Notice, PathField } from '../../parts/index.ts'
import { AdapterField } from '../../wizard/AdapterField.tsx'
import type { PresetName, SettingValue } from '../../wizard/fields/setting-keys.ts'
import { parseValue, problemOf } from '../../wizard/parse-value.ts'
import { counted, setting } from '../../words/index.ts'
import classes from '../credit.module.css'
import { JobLine } from '../JobLine.tsx'
import { useCreditJob } from '../use-credit-job.ts'
import {
  type StudyForm as Form,
  fieldValue,
  firstKeys,
  furtherKeys,
  missingFrom,
  type StudyKey,
  studyRequest,
  studyText,
  usualSettings,
} from './study-form.ts'

interface Props {
  /** Of the rollouts in view: whose policies and reward models are offered first; null where there are none. */
  readonly list: TrajectoryList | null
  readonly onEnded: (runId: string) => void
}

export function StudyForm({ list, onEnded }: Props) {
  const { value: info } = useAnswer('app.info', {})
  const [form, setForm] = useState<Form>(() => ({
    model: '',
    data: '',
    initAdapter: list?.policies[0]?.adapter ?? '',
    rewardAdapter: list?.reward_adapters[0]?.adapter ?? '',
    preset: 'embedded',
    batches: 100,
    values: {},
  }))
  const job = useCreditJob(onEnded)
  const change = (changes: Partial<Form>) => setForm((before) => ({ ...before, ...changes }))
  const set = (key: StudyKey, value: SettingValue) =>
    setForm((before) => ({ ...before, values: { ...before.values, [key]: value } }))
  const model = list?.model ?? info?.embedded_model ?? ''
  const missing = missingFrom(form)
  const fields = (keys: readonly StudyKey[]) =>
    keys.map((key) => (
      <Setting key={`${form.preset} ${key}`} field={key} form={form} onChange={(value) => set(key, value)} />
    ))
  return (
    <div className={classes.form}>
      <PathField
        label="Prompts"
        description="JSONL with id, prompt; responses are sampled to them"
        what="file"
        value={form.data}
        onChange={(data) => change({ data })}
      />
      <PromptsLine file={form.data} model={form.model.trim() || model} />
      <AdapterField
        label="Policy"
        description="PEFT folder; every step starts from it"
        stage="sft"
        value={form.initAdapter}
        onChange={(initAdapter) => change({ initAdapter })}
      />
      <AdapterField
        label="Reward model"
        description="PEFT folder with a score head, over the same base; it stays frozen"
        stage="reward"
        value={form.rewardAdapter}
        onChange={(rewardAdapter) => change({ rewardAdapter })}
      />
      <PathField
        label="Base model"
        description={list?.model == null ? 'Empty: the embedded model' : 'Empty: that of the rollouts in view'}
        what="folder"
        value={form.model}
        onChange={(folder) => change({ model: folder })}
      />
      <NativeSelect
        label="Settings of"
        description="Where nothing is changed below"
        value={form.preset}
        data={[
          { value: 'embedded', label: 'the embedded model' },
          { value: 'minimum', label: 'the reference study (a 0.5B model)' },
        ]}
        onChange={(event) => change({ preset: event.currentTarget.value as PresetName, values: {} })}
      />
      <NumberInput
        label="Batches"
        description="Points of the chart, default 100; a correlation over fewer says little"
        min={fewestBatches}
        max={100_000}
        allowDecimal={false}
        value={form.batches}
        onChange={(value) => change({ batches: Number(value) || 0 })}
      />
      {fields(firstKeys)}
      <details className={classes.settings}>
        <summary>Weights, loss and limits</summary>
        <div className={classes.form}>{fields(furtherKeys)}</div>
      </details>
      <JobLine
        label="Take the steps"
        job={job}
        disabled={missing !== null}
        onStart={() => job.start(studyRequest(form, model))}
      />
      {missing !== null && <p className={classes.caption}>It needs {missing}.</p>}
    </div>
  )
}

/** The rows counted, or the first that cannot be used. */
function PromptsLine({ file, model }: { readonly file: string; readonly model: string }) {
  const [asked] = useDebouncedValue(file.trim(), 350)
  const { value, error } = useAnswer(
    'rows.check',
    asked === '' ? null : { file: asked, kind: 'prompt', ...(model === '' ? {} : { model }) },
  )
  if (asked === '') return null
  if (error !== undefined) return <Notice tone="bad">{error}</Notice>
  if (value === undefined) return null
  const [first] = value.problems
  if (first === undefined) return <p className={classes.caption}>✓ {counted(value.rows, 'prompt')}, all in order</p>
  const where = first.line === null ? '' : `Line ${first.line}: `
  return (
    <Notice tone="bad" title={`${counted(value.problem_count, 'problem')} in ${counted(value.rows, 'row')}`}>
      {where}
      {first.problem}
    </Notice>
  )
}

interface SettingProps {
  readonly field: StudyKey
  readonly form: Form
  readonly onChange: (value: SettingValue) => void
}

function Setting({ field, form, onChange }: SettingProps) {
  const { name, unit, sentence } = studyText(field)
  const [typed, setTyped] = useState<string | null>(null)
  const value = fieldValue(form, field)
  const description = `${sentence} Default ${setting(usualSettings(form.preset)[field])}${unit === '' || field === 'ablation' ? '' : `; ${unit}`}`
  if (field === 'ablation') {
    return (
      <NativeSelect
        label={name}
        description={description}
        value={String(value)}
        data={[...ablations]}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    )
  }
  return (
    <TextInput
      label={name}
      description={description}
      inputMode="decimal"
      value={typed ?? setting(value)}
      error={problemOf(field, value)}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        onChange(parseValue(field, event.currentTarget.value))
      }}
      onBlur={() => setTyped(null)}
    />
  )
}
