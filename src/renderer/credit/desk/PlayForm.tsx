/** Starts episodes: which tasks, who plays, under which rules; or branches of the rollouts in view. */
import { NativeSelect, NumberInput, Switch } from '@mantine/core'
import { useCallback, useState } from 'react'
import { type DeskRules, defaultDeskRules } from '../../../shared/desk-rules.ts'
import type { JobRequest } from '../../../shared/ipc.ts'
import { ask, useAnswer, useWorkbench } from '../../bridge/index.ts'
import { PathField } from '../../parts/index.ts'
import { go } from '../../routes/index.ts'
import { AdapterField } from '../../wizard/AdapterField.tsx'
import classes from '../credit.module.css'
import { JobLine } from '../JobLine.tsx'
import type { TabProps } from '../TabOf.tsx'
import { useCreditJob } from '../use-credit-job.ts'
import { RuleFields } from './RuleFields.tsx'
import { plainRules } from './rule-texts.ts'

interface Props {
  readonly route: TabProps['route']
  /** Rollouts of the desk in view, to branch from; null where there are none. */
  readonly source: TabProps['source'] | null
  readonly model: string | null
  readonly adapter: string
  readonly rewardAdapter: string
}

const splits = ['train', 'validation', 'test', 'all'] as const

export function PlayForm({ route, source, model: knownModel, adapter: knownAdapter, rewardAdapter }: Props) {
  const { bridge } = useWorkbench()
  const { value: info } = useAnswer('app.info', {})
  const plays = useAnswer('desk.plays', {})
  const [mode, setMode] = useState<'rollouts' | 'branch'>('rollouts')
  const [split, setSplit] = useState<(typeof splits)[number]>('validation')
  const [tasks, setTasks] = useState(6)
  const [size, setSize] = useState(4)
  const [model, setModel] = useState('')
  const [adapter, setAdapter] = useState(knownAdapter)
  const [reward, setReward] = useState(rewardAdapter)
  const [rules, setRules] = useState<Partial<DeskRules>>({})
  const [greedy, setGreedy] = useState(false)
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
  const changeRules = (changes: Partial<DeskRules>) => setRules((before) => ({ ...before, ...changes }))
  const weight = rules.reward_model_weight ?? defaultDeskRules.reward_model_weight
  const unjudged = weight !== 0 && reward.trim() === ''
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
      ...(reward.trim() === '' ? {} : { reward_adapter: reward.trim() }),
      rules: { ...defaultDeskRules, ...rules },
      greedy,
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
          { value: 'branch', label: 'on from each prefix in view', disabled: source === null },
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
      <AdapterField
        label="Reward model (optional)"
        description="PEFT folder with a score head; its score counts by the weight below"
        stage="reward"
        value={reward}
        onChange={setReward}
      />
      <RuleFields rules={['reward_model_weight']} values={rules} onChange={changeRules} />
      <details className={classes.settings}>
        <summary>Rules and seed</summary>
        <div className={classes.form}>
          <RuleFields rules={plainRules} values={rules} onChange={changeRules} />
          <Switch
            label="The likeliest token at every step"
            description="Else sampled at temperature 1"
            checked={greedy}
            onChange={(event) => setGreedy(event.currentTarget.checked)}
          />
          <NumberInput label="Seed" allowDecimal={false} value={seed} onChange={(value) => setSeed(number(value, 0))} />
        </div>
      </details>
      <JobLine label={mode === 'branch' ? 'Branch' : 'Play'} job={job} disabled={unjudged} onStart={start} />
      {unjudged && <p className={classes.caption}>The score has a weight: it needs a reward model.</p>}
    </div>
  )
}
