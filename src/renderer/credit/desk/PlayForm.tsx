/** Starts episodes: which tasks, who plays, under which rules; or branches of the rollouts in view. */
import { NativeSelect, NumberInput } from '@mantine/core'
import { useCallback, useState } from 'react'
import { defaultDeskRules } from '../../../shared/desk-rules.ts'
import type { JobRequest } from '../../../shared/ipc.ts'
import { ask, useAnswer, useWorkbench } from '../../bridge/index.ts'
import { PathField } from '../../parts/index.ts'
import { go } from '../../routes/index.ts'
import classes from '../credit.module.css'
import { JobLine } from '../JobLine.tsx'
import type { TabProps } from '../TabOf.tsx'
import { useCreditJob } from '../use-credit-job.ts'

interface Props {
  readonly route: TabProps['route']
  /** Rollouts of the desk in view, to branch from; null where there are none. */
  readonly source: TabProps['source'] | null
  readonly model: string | null
  readonly adapter: string
}

const splits = ['train', 'validation', 'test', 'all'] as const

export function PlayForm({ route, source, model: knownModel, adapter: knownAdapter }: Props) {
  const { bridge } = useWorkbench()
  const { value: info } = useAnswer('app.info', {})
  const plays = useAnswer('desk.plays', {})
  const [mode, setMode] = useState<'rollouts' | 'branch'>('rollouts')
  const [split, setSplit] = useState<(typeof splits)[number]>('validation')
  const [tasks, setTasks] = useState(6)
  const [size, setSize] = useState(4)
  const [model, setModel] = useState('')
  const [adapter, setAdapter] = useState(knownAdapter)
  const [horizon, setHorizon] = useState(defaultDeskRules.horizon)
  const [failure, setFailure] = useState(0)
  const [seed, setSeed] = useState(49)
  const refresh = plays.refresh
  const open = useCallback(
    (runId: string) => {
      refresh()
      ask(bridge, 'desk.plays', {}).then(
        (known) => {
          const kept = known.find(({ run_id }) => run_id === runId)?.source
          if (kept != null) go({ ...route, tab: 'desk', source: kept, rollouts: [], result: null })
        },
        () => {},
      )
    },
    [bridge, route, refresh],
  )
  const job = useCreditJob(open)
  const number = (value: string | number, least: number) => Math.max(least, Math.round(Number(value) || least))
  const start = () => {
    const request: JobRequest = {
      kind: 'desk',
      from:
        mode === 'branch' && source !== null
          ? { source, ...(route.rollouts.length === 0 ? {} : { ids: [...route.rollouts] }) }
          : { split, task_seed: 49, tasks },
      model: model.trim() || knownModel || info?.embedded_model || '',
      ...(adapter.trim() === '' ? {} : { adapter: adapter.trim() }),
      rules: { ...defaultDeskRules, horizon, failure_rate: failure },
      greedy: false,
      seed,
      play: mode === 'branch' ? { mode, branches: size, at: 'every' } : { mode, group_size: size },
    }
    job.start(request)
  }
  return (
    <div className={classes.form}>
      <NativeSelect
        label="Play"
        value={mode}
        data={[
          { value: 'rollouts', label: 'episodes of tasks, a group a task' },
          { value: 'branch', label: 'on from every prefix of the rollouts in view', disabled: source === null },
        ]}
        onChange={(event) => setMode(event.currentTarget.value as typeof mode)}
      />
      {mode === 'rollouts' && (
        <>
          <NativeSelect
            label="Tasks of"
            value={split}
            data={[...splits]}
            onChange={(event) => setSplit(event.currentTarget.value as typeof split)}
          />
          <NumberInput label="Tasks" min={1} value={tasks} onChange={(value) => setTasks(number(value, 1))} />
        </>
      )}
      <NumberInput
        label={mode === 'branch' ? 'Branches of each prefix' : 'Episodes of each task'}
        min={1}
        max={64}
        value={size}
        onChange={(value) => setSize(number(value, 1))}
      />
      <PathField
        label="Base model"
        description={knownModel === null ? 'Empty: the embedded model' : 'Empty: that of the rollouts in view'}
        what="folder"
        value={model}
        onChange={setModel}
      />
      <PathField
        label="Adapter of the policy"
        description="PEFT folder that learned the desk’s language; empty: the base alone"
        what="folder"
        value={adapter}
        onChange={setAdapter}
      />
      <details className={classes.settings}>
        <summary>Rules and seed</summary>
        <div>
          <NumberInput
            label="Horizon, agent turns"
            min={1}
            max={12}
            value={horizon}
            onChange={(value) => setHorizon(Math.min(12, number(value, 1)))}
          />
          <NumberInput
            label="Chance that a check breaks"
            description="Ends the episode without a reward; above 0 to see that it is kept apart"
            min={0}
            max={1}
            step={0.05}
            value={failure}
            onChange={(value) => setFailure(Math.min(1, Math.max(0, Number(value) || 0)))}
          />
          <NumberInput label="Seed" allowDecimal={false} value={seed} onChange={(value) => setSeed(number(value, 0))} />
        </div>
      </details>
      <JobLine label={mode === 'branch' ? 'Branch' : 'Play'} job={job} onStart={start} />
    </div>
  )
}
