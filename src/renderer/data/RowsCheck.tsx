/** A file of one's own rows, read line by line: what is wrong where, and what the first rows look like. */
import { useDebouncedValue } from '@mantine/hooks'
import { counted as countedCell, type Table } from '../../main/report/section.ts'
import type { RequestParameters, RowsCheck as Result } from '../../shared/ipc.ts'
import { useAnswer } from '../bridge/index.ts'
import { exportableTable, TableHead } from '../charts/menu.ts'
import { Answered, Notice } from '../parts/index.ts'
import { count, counted } from '../words/index.ts'
import classes from './data.module.css'

interface Props {
  readonly file: string
  readonly kind: RequestParameters<'rows.check'>['kind']
  /** With a model the lengths are counted in its tokens. */
  readonly model: string
}

export function RowsCheck({ file, kind, model }: Props) {
  const [asked] = useDebouncedValue(file.trim(), 350)
  const answer = useAnswer(
    'rows.check',
    asked === '' ? null : { file: asked, kind, ...(model === '' ? {} : { model }) },
  )
  if (asked === '') return null
  return (
    <Answered answer={answer} what="Reading the rows">
      {(result) => <Rows result={result} />}
    </Answered>
  )
}

function Rows({ result }: { readonly result: Result }) {
  const { rows, problems, problem_count: wrong, sample } = result
  return (
    <div className={classes.check}>
      {wrong === 0 ? (
        <Notice tone="good" title={`✓ ${counted(rows, 'row')}, all in order`} />
      ) : (
        <Notice tone="bad" title={`${counted(wrong, 'problem')} in ${counted(rows, 'row')}`}>
          A stage refuses the file until every row is in order; nothing is cut or skipped.
        </Notice>
      )}
      {problems.length > 0 && (
        <div>
          <TableHead exportable={exportableTable('row-problems', problemsTable(problems))} />
          <table className={classes.problems} aria-label="Problems">
            <thead>
              <tr>
                <th data-numeric>line</th>
                <th>row</th>
                <th>what is wrong</th>
              </tr>
            </thead>
            <tbody>
              {problems.map((problem, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: one line can have several problems and the list never moves
                <tr key={index}>
                  <td data-numeric>{problem.line === null ? '' : count(problem.line)}</td>
                  <td>
                    <code>{problem.id ?? ''}</code>
                  </td>
                  <td>{problem.problem}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {wrong > problems.length && <p>The first {problems.length} are shown.</p>}
      {sample.length > 0 && <Sample rows={sample.slice(0, 3)} />}
    </div>
  )
}

function problemsTable(problems: Result['problems']): Table {
  return {
    caption: 'Rows that cannot be used',
    columns: [{ label: 'Line', numeric: true }, { label: 'Row' }, { label: 'What is wrong' }],
    rows: problems.map(({ line, id, problem }) => ({ cells: [countedCell(line), id ?? '', problem] })),
  }
}

function Sample({ rows }: { readonly rows: Result['sample'] }) {
  return (
    <ul className={classes.rows} aria-label="First rows">
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows of a file without an id have only their place
        <li key={index}>
          <code>{String(row.id ?? '')}</code>
          <dl>
            {Object.entries(row)
              .filter(([name]) => name !== 'id')
              .map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
                </div>
              ))}
          </dl>
        </li>
      ))}
    </ul>
  )
}
