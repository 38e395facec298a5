/** Above every question of credit: whose rollouts, of which iterations, which of them; in figures what that is. */
import { Button, NativeSelect, NumberInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { decimal } from '../../../main/report/number-text.ts'
import type { CreditSources, TrajectoryList } from '../../../shared/credit.ts'
import type { CreditSource } from '../../../shared/credit-requests.ts'
import { useAnswer } from '../../bridge/index.ts'
import { stageName } from '../../home/run-words.ts'
import { Answered } from '../../parts/index.ts'
import { type CreditRoute, Link, replace } from '../../routes/index.ts'
import { ago, count, counted } from '../../words/index.ts'
import classes from '../credit.module.css'
import { FileNote } from './FileNote.tsx'
import { RolloutPicker } from './RolloutPicker.tsx'
import { chosenOf, figuresOf, sourceKey, sourceOfKey } from './source-in-view.ts'

interface Props {
  readonly sources: CreditSources
  readonly source: CreditSource
  readonly route: CreditRoute
}

export function SourceBar({ sources, source, route }: Props) {
  const list = useAnswer('credit.rollouts', { source })
  const [picking, { toggle }] = useDisclosure()
  const run = source.kind === 'run' ? sources.runs.find(({ run_id }) => run_id === source.run_id) : undefined
  const file = source.kind === 'file' ? sources.files.find(({ sha256 }) => sha256 === source.sha256) : undefined
  const choose = (next: CreditSource | null) =>
    next !== null && replace({ ...route, source: next, rollouts: [], result: null })
  return (
    <section className={classes.source} aria-label="Rollouts in view">
      <div className={classes.bar}>
        <NativeSelect
          label="Rollouts of"
          w={380}
          value={sourceKey(source)}
          data={options(sources)}
          onChange={(event) => choose(sourceOfKey(sources, event.currentTarget.value))}
        />
        {source.kind === 'run' && run !== undefined && (
          <Iterations
            first={run.first_iteration}
            last={run.last_iteration}
            value={source.iterations ?? [run.first_iteration, run.last_iteration]}
            onChange={(iterations) => choose({ ...source, iterations })}
          />
        )}
        <Button variant="default" aria-expanded={picking} onClick={toggle}>
          {picking ? 'Hide the list' : 'Choose rollouts'}
        </Button>
        {run !== undefined && <Link to={{ screen: 'run', run: run.run_id }}>The run</Link>}
      </div>
      <Answered answer={list} what="Reading the rollouts">
        {(listed) => (
          <>
            <Figures list={listed} route={route} />
            {picking && (
              <RolloutPicker
                rows={listed.rows}
                chosen={route.rollouts}
                onChoose={(rollouts) => replace({ ...route, source, rollouts, result: null })}
              />
            )}
          </>
        )}
      </Answered>
      {file !== undefined && <FileNote file={file} route={route} />}
    </section>
  )
}

function options({ runs, files }: CreditSources) {
  const group = (name: string, items: { value: string; label: string }[]) =>
    items.length === 0 ? [] : [{ group: name, items }]
  return [
    ...group(
      'Runs of this home',
      runs.map((run) => ({
        value: sourceKey({ kind: 'run', run_id: run.run_id }),
        label: `${run.study_name ?? 'own rows'} · ${stageName({ stage: run.stage, purpose: 'main' })} · ${counted(run.rollouts, 'rollout')} · ${ago(run.created_at)}`,
      })),
    ),
    ...group(
      'Files',
      files.map((file) => ({
        value: sourceKey({ kind: 'file', sha256: file.sha256 }),
        label: `${file.name} · ${counted(file.rows, 'rollout')} · ${file.format}`,
      })),
    ),
  ]
}

interface IterationsProps {
  readonly first: number
  readonly last: number
  readonly value: readonly [number, number]
  readonly onChange: (iterations: [number, number]) => void
}

function Iterations({ first, last, value: [from, to], onChange }: IterationsProps) {
  const within = (value: string | number) => Math.min(last, Math.max(first, Math.round(Number(value) || first)))
  return (
    <>
      <NumberInput
        label="Iterations from"
        w={110}
        min={first}
        max={last}
        value={from}
        onChange={(value) => {
          const next = within(value)
          if (next !== from) onChange([next, Math.max(next, to)])
        }}
      />
      <NumberInput
        label={`to (of ${first}–${last})`}
        w={130}
        min={first}
        max={last}
        value={to}
        onChange={(value) => {
          const next = within(value)
          if (next !== to) onChange([Math.min(next, from), next])
        }}
      />
    </>
  )
}

function Figures({ list, route }: { readonly list: TrajectoryList; readonly route: CreditRoute }) {
  const figures = figuresOf(chosenOf(list.rows, route.rollouts))
  return (
    <p className={classes.figures} role="status">
      <span>
        <b>{counted(figures.rollouts, 'rollout')}</b>
        {route.rollouts.length > 0 && ` of ${count(list.rows.length)}`} in {counted(figures.groups, 'group')}
      </span>
      <span>
        <b>{count(figures.actions)}</b> trained tokens
      </span>
      <span>
        mean reward <b>{decimal(figures.meanReward)}</b>
        {figures.abstained > 0 && `, ${counted(figures.abstained, 'abstention')} left out`}
      </span>
      {figures.truncated > 0 && <span>{count(figures.truncated)} truncated</span>}
    </p>
  )
}
