/** Which part of the batch pushed, and do the parts add up to the whole? The form, the newest audit, and those before it. */
import { NativeSelect, SegmentedControl, TextInput } from '@mantine/core'
import { useCallback, useState } from 'react'
import { objectiveWords, runReduction } from '../../../shared/audit-defaults.ts'
import type { CreditResultListing, TrajectoryList } from '../../../shared/credit.ts'
import { type AuditDtype, auditDtypes, type Partition, partitions, reductions } from '../../../shared/credit-audit.ts'
import type { JobRequest } from '../../../shared/ipc.ts'
import { useAnswer } from '../../bridge/index.ts'
import { Answered, EmptyState, Notice, Status } from '../../parts/index.ts'
import { go, replace } from '../../routes/index.ts'
import { ago, setting } from '../../words/index.ts'
import classes from '../credit.module.css'
import { JobLine } from '../JobLine.tsx'
import { firstPolicy, PolicyFields, policyRequest } from '../PolicyFields.tsx'
import { readingsOf } from '../readings.ts'
import { openResult, resultsFor } from '../results.ts'
import type { TabProps } from '../TabOf.tsx'
import { useCreditJob } from '../use-credit-job.ts'
import { AuditResult } from './AuditResult.tsx'
import { type AuditForm, advantageChoices, auditRequest, firstForm } from './audit-form.ts'
import { Readings } from './Readings.tsx'

export function SharesTab({ route, source }: TabProps) {
  const list = useAnswer('credit.rollouts', { source })
  const results = useAnswer('credit.results', {})
  const study = useStudyOf(source)
  const matching = resultsFor(results.value ?? [], 'credit-audit', source, route.rollouts)
  const open = openResult(matching, route.result)
  const lines = useAnswer('credit.recorded', source.kind === 'run' ? { run_id: source.run_id } : null)
  const readings = readingsOf(lines.value ?? [], source)
  const openTokens = (id: string) => go({ ...route, source, tab: 'tokens', rollouts: [id], result: null })
  const show = useCallback((result: string) => replace({ ...route, source, result }), [route, source])
  return (
    <div className={classes.methods}>
      <Answered answer={list} what="Reading the rollouts">
        {(listed) => <Form key={listed.name} list={listed} route={route} source={source} onEnded={show} />}
      </Answered>
      <div className={classes.result}>
        {open === null ? (
          readings.length > 0 ? null : (
            <EmptyState title="No audit of these rollouts yet">
              An audit takes the gradient of the objective apart: what each rollout, turn or token pushed, beside a
              whole that was computed by itself.
            </EmptyState>
          )
        ) : (
          <section className={classes.stacked} aria-label="Audit in view">
            <h3>
              {open.run_id === matching[0]?.run_id ? 'The newest audit' : 'An earlier audit'}, by{' '}
              {String(open.settings.partition)}, {ago(open.created_at)}
            </h3>
            {matching.length > 1 && (
              <NativeSelect
                label="Audits of these rollouts"
                maw={560}
                value={open.run_id}
                data={matching.map((one) => ({
                  value: one.run_id,
                  label: `${settingWords(one)} · ${one.status} · ${ago(one.created_at)}`,
                }))}
                onChange={(event) => show(event.currentTarget.value)}
              />
            )}
            {open.status === 'finished' ? (
              <AuditResult
                runId={open.run_id}
                study={study}
                onPart={(name) => {
                  const id = name.split('/turn ')[0]?.split('/segment ')[0] ?? name
                  openTokens(id)
                }}
              />
            ) : open.status === 'failed' ? (
              <Notice tone="bad" title="The audit failed">
                {open.error ?? ''}
              </Notice>
            ) : (
              <Status status={open.status} />
            )}
          </section>
        )}
        {readings.length > 0 && <Readings readings={readings} study={study} onPart={openTokens} />}
      </div>
    </div>
  )
}

/** Of a study's PPO run: its report has a section on credit. */
function useStudyOf(source: TabProps['source']): string | undefined {
  const { value: sources } = useAnswer('credit.sources', {})
  if (source.kind !== 'run') return undefined
  return sources?.runs.find(({ run_id }) => run_id === source.run_id)?.study_id ?? undefined
}

function settingWords({ settings, policy }: CreditResultListing): string {
  const { partition, dtype, reduction, advantages } = settings as {
    partition?: string
    dtype?: string
    reduction?: string
    advantages?: unknown
  }
  const from = advantages === 'recorded' ? 'recorded advantages' : ((advantages as { method?: string })?.method ?? '')
  return `by ${partition}, ${reduction}, ${from}, at ${policy}, ${dtype}`
}

interface FormProps extends TabProps {
  readonly list: TrajectoryList
  readonly onEnded: (runId: string) => void
}

function Form({ list, route, source, onEnded }: FormProps) {
  const [form, setForm] = useState<AuditForm>(() => firstForm(list, source.kind))
  const [policy, setPolicy] = useState(() => firstPolicy(list))
  const job = useCreditJob(onEnded)
  const change = (changes: Partial<AuditForm>) => setForm((before) => ({ ...before, ...changes }))
  const ids = route.rollouts.length === 0 ? {} : { ids: [...route.rollouts] }
  const request: JobRequest = { source, ...ids, ...policyRequest(policy), ...auditRequest(form) }
  return (
    <div className={classes.form}>
      <div>
        <span className={classes.label} id="partition">
          Parts
        </span>
        <SegmentedControl
          fullWidth
          size="xs"
          aria-labelledby="partition"
          value={form.partition}
          data={[...partitions]}
          onChange={(partition) => change({ partition: partition as Partition })}
        />
      </div>
      <NativeSelect
        label="Advantages"
        description="What multiplies each token’s log-probability in the objective"
        value={form.advantages}
        data={advantageChoices(list)}
        onChange={(event) => change({ advantages: event.currentTarget.value })}
      />
      <NativeSelect
        label="Reduction"
        description={`J = ${objectiveWords[form.reduction]}${
          source.kind === 'run' && form.reduction === runReduction ? ', as in the run’s own loss' : ''
        }`}
        value={form.reduction}
        data={[...reductions]}
        onChange={(event) => change({ reduction: event.currentTarget.value as AuditForm['reduction'] })}
      />
      <NativeSelect
        label="Precision"
        value={form.dtype}
        data={[...auditDtypes]}
        onChange={(event) => change({ dtype: event.currentTarget.value as AuditDtype })}
      />
      <NativeSelect
        label="Compare with a real step of"
        value={form.optimizer}
        data={[
          { value: '', label: 'no optimizer' },
          'sgd',
          'sgd+momentum',
          'adamw',
          'sgd+clipping',
          'sgd+weight-decay',
        ]}
        onChange={(event) => change({ optimizer: event.currentTarget.value })}
      />
      {form.optimizer !== '' && (
        <TextInput
          label="Learning rate of that step"
          defaultValue={setting(form.learningRate)}
          inputMode="decimal"
          onBlur={(event) => {
            const rate = Number(event.currentTarget.value)
            if (rate > 0) change({ learningRate: rate })
          }}
        />
      )}
      <PolicyFields list={list} value={policy} onChange={setPolicy} />
      <JobLine label="Audit" job={job} onStart={() => job.start(request)} />
    </div>
  )
}
