/** Who is learned from, who is measured on, and who is kept away: counted before the start. */
import { counted, type Table } from '../../main/report/section.ts'
import { useAnswer } from '../bridge/index.ts'
import { exportableTable, TableHead } from '../charts/menu.ts'
import { count } from '../words/index.ts'
import type { Draft } from './draft.ts'
import { defaultSettings } from './fields/setting-keys.ts'
import classes from './wizard.module.css'

interface Population {
  readonly name: string
  readonly rows: number
  readonly seen: string
}

export function Populations({ draft }: { readonly draft: Draft }) {
  const seed = Number(draft.changes.seed ?? defaultSettings('study', draft.preset).seed)
  const asks = draft.target === 'study' && Number.isSafeInteger(seed)
  const { value } = useAnswer('corpus.preview', asks ? { seed } : null)
  if (!asks || value === undefined) return null
  return (
    <section>
      <TableHead exportable={exportableTable('populations', populationsTable(value.audit))}>
        <h2>Populations</h2>
      </TableHead>
      <table className={classes.needs} aria-label="Populations">
        <thead>
          <tr>
            <th>rows</th>
            <th style={{ textAlign: 'right' }}>n</th>
            <th>seen by</th>
          </tr>
        </thead>
        <tbody>
          {populationsOf(value.audit).map(({ name, rows, seen }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td style={{ textAlign: 'right' }}>{count(rows)}</td>
              <td>{seen}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function populationsTable(audit: Readonly<Record<string, unknown>>): Table {
  return {
    caption: 'Populations of the study',
    columns: [{ label: 'Rows' }, { label: 'n', numeric: true }, { label: 'Seen by' }],
    rows: populationsOf(audit).map(({ name, rows, seen }) => ({ cells: [name, counted(rows), seen] })),
  }
}

export function populationsOf(audit: Readonly<Record<string, unknown>>): readonly Population[] {
  const splits = (audit.pairs_by_split ?? {}) as Readonly<Record<string, unknown>>
  const lines: readonly (readonly [string, unknown, string])[] = [
    ['Demonstrations', audit.warmstart_demonstrations, 'SFT'],
    ['Training pairs', splits.train, 'the reward model'],
    [
      'Validation pairs',
      splits.validation,
      'SFT and the reward model, measured after each epoch; nothing is chosen by them',
    ],
    ['Prompts of the rollouts', audit.rollout_prompts, 'PPO, without their targets'],
    ['Held-out pairs', splits.test, 'nobody while learning; then the evaluation, once'],
    ['Probe rows', audit.probe_rows, 'nobody while learning; then the frozen reward model'],
  ]
  return lines.flatMap(([name, rows, seen]) => (typeof rows === 'number' ? [{ name, rows, seen }] : []))
}
