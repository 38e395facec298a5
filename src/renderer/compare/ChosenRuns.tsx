/** The runs under comparison with their line samples; one is the baseline; more can be added, each taken away. */
import { ActionIcon, Button, Select } from '@mantine/core'
import type { RunListing } from '../../shared/ipc.ts'
import { Marker, runStroke } from '../charts/index.ts'
import { Icon, Status } from '../parts/index.ts'
import { Link } from '../routes/index.ts'
import classes from './compare.module.css'
import { letter, runName } from './run-letters.ts'
import { most } from './use-run-views.ts'

interface Props {
  readonly ids: readonly string[]
  readonly listed: readonly RunListing[]
  readonly baseline: string | null
  readonly onChoose: (ids: readonly string[]) => void
  readonly onPin: (id: string) => void
}

export function ChosenRuns({ ids, listed, baseline, onChoose, onPin }: Props) {
  // Runs that learn first; what only generates has no curve to compare.
  const addable = listed.filter((run) => run.total > 0 && run.purpose === 'main' && !ids.includes(run.run_id))
  return (
    <>
      <ul className={classes.chosen} aria-label="Runs under comparison">
        {ids.map((id, index) => {
          const run = listed.find((one) => one.run_id === id)
          return (
            <li key={id} className={classes.run} data-baseline={id === baseline}>
              <RunSample index={index} />
              <span className={classes.letter}>{letter(index)}</span>
              <Link to={{ screen: 'run', run: id }}>{run === undefined ? id : runName(run)}</Link>
              {run !== undefined && <Status status={run.status} />}
              {id === baseline ? (
                <span>⚑ baseline</span>
              ) : (
                <Button variant="subtle" size="compact-xs" onClick={() => onPin(id)}>
                  Make baseline
                </Button>
              )}
              <ActionIcon
                size="sm"
                aria-label={`Take ${letter(index)} away`}
                onClick={() => onChoose(ids.filter((one) => one !== id))}
              >
                <Icon name="close" size={12} />
              </ActionIcon>
            </li>
          )
        })}
      </ul>
      {ids.length < most && (
        <Select
          aria-label="Add a run"
          placeholder={addable.length === 0 ? 'No further run' : 'Add a run…'}
          disabled={addable.length === 0}
          searchable
          maw={520}
          value={null}
          data={addable.map((run) => ({ value: run.run_id, label: runName(run) }))}
          onChange={(id) => id !== null && onChoose([...ids, id])}
        />
      )}
    </>
  )
}

function RunSample({ index }: { readonly index: number }) {
  const stroke = runStroke(index)
  return (
    <svg className={classes.sample} width={30} height={12} aria-hidden="true">
      <line x1={1} x2={29} y1={6} y2={6} stroke={stroke.colour} strokeWidth={1.8} strokeDasharray={stroke.dash} />
      <Marker role={stroke.role} colour={stroke.colour} x={15} y={6} radius={3.4} />
    </svg>
  )
}
