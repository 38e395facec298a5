/** Methods by methods in two matrices, then one pair's largest differences, then all of them token over token. */
import { Button, NativeSelect, SegmentedControl } from '@mantine/core'
import { useMemo, useState } from 'react'
import { estimatorName } from '../../../main/report/estimator-name.ts'
import { significant } from '../../../main/report/number-text.ts'
import type { CreditComparison } from '../../../shared/credit-estimates.ts'
import type { CreditSource } from '../../../shared/credit-requests.ts'
import { useAnswer } from '../../bridge/index.ts'
import { CornerMenu, exportableTable } from '../../charts/index.ts'
import { Answered } from '../../parts/index.ts'
import type { CreditRoute } from '../../routes/index.ts'
import { cellColour, scaleOf } from '../../tokens/colour-scale.ts'
import { type Place, TokenGrid } from '../../tokens/TokenGrid.tsx'
import { counted } from '../../words/index.ts'
import classes from '../credit.module.css'
import { PlainTable } from '../PlainTable.tsx'
import tables from '../tables.module.css'
import { TokenizerHint, TurnTexts } from '../tokens/TurnTexts.tsx'
import {
  differencesTable,
  figureText,
  figureWords,
  leastAlike,
  matrixOf,
  matrixTable,
  methodLines,
  type PairFigure,
  rangeText,
  spreadTable,
  tokenText,
} from './comparison.ts'
import matrix from './matrix.module.css'

interface Props {
  readonly comparison: CreditComparison
  readonly route: CreditRoute
  readonly source: CreditSource
}

export function ComparisonView({ comparison, route, source }: Props) {
  const [figure, setFigure] = useState<PairFigure>('rank_correlation')
  const [pair, setPair] = useState<readonly [string, string] | null>(null)
  const shown = comparison.pairs.find(({ a, b }) => pair?.includes(a) && pair.includes(b)) ?? leastAlike(comparison)
  const rollouts = useMemo(() => [...new Set(comparison.advantages.map(({ id }) => id))], [comparison])
  return (
    <>
      <p className={classes.figures}>
        <span>
          <b>{counted(comparison.tokens, 'token')}</b> under {counted(comparison.methods.length, 'method')}
        </span>
        {comparison.abstained.length > 0 && (
          <span>
            {counted(comparison.abstained.length, 'ungraded rollout')}{' '}
            {comparison.abstained.length === 1 ? 'counts' : 'count'} nowhere
          </span>
        )}
      </p>
      {comparison.methods.length > 1 && (
        <section>
          <div className={tables.tableHead}>
            <SegmentedControl
              aria-label="Figure of the matrix"
              value={figure}
              onChange={(value) => setFigure(value as PairFigure)}
              data={Object.entries(figureWords).map(([value, { title }]) => ({ value, label: title }))}
            />
            <CornerMenu
              exportable={exportableTable(`credit-${figure.replace('_', '-')}`, matrixTable(comparison, figure))}
            />
          </div>
          <Matrix comparison={comparison} figure={figure} onPair={setPair} />
          <p className={classes.caption}>{figureWords[figure].caption} A cell opens its pair.</p>
        </section>
      )}
      <section>
        <h3>Token over token</h3>
        <Stacked comparison={comparison} rollouts={rollouts} source={source} />
      </section>
      {shown !== null && (
        <Differences
          key={`${shown.a} ${shown.b}`}
          pair={shown}
          nameOf={namesOf(comparison)}
          route={route}
          source={source}
        />
      )}
      <section>
        <PlainTable name="credit-methods" table={spreadTable(comparison)} />
      </section>
      <details className={classes.note}>
        <summary>What each method computes</summary>
        <dl>
          {comparison.methods.map(({ label, formula, parameters, notes }) => (
            <div key={label} className={classes.formula}>
              <dt>{estimatorName({ label, parameters })}</dt>
              <dd>
                {formula}
                <small>
                  {Object.entries(parameters)
                    .map(([name, value]) => `${name} ${typeof value === 'number' ? significant(value) : String(value)}`)
                    .join(', ')}
                  {notes.map((note) => `; ${note}`)}
                </small>
              </dd>
            </div>
          ))}
        </dl>
      </details>
    </>
  )
}

function namesOf({ methods }: CreditComparison): (label: string) => string {
  const names = new Map(methods.map((method) => [method.label, estimatorName(method)]))
  return (label) => names.get(label) ?? label
}

interface MatrixProps {
  readonly comparison: CreditComparison
  readonly figure: PairFigure
  readonly onPair: (pair: readonly [string, string]) => void
}

function Matrix({ comparison, figure, onPair }: MatrixProps) {
  const labels = comparison.methods.map(({ label }) => label)
  const nameOf = namesOf(comparison)
  const rows = matrixOf(comparison, figure)
  const scale = scaleOf('signed', [1])
  return (
    <table className={matrix.matrix} aria-label={figureWords[figure].title}>
      <thead>
        <tr>
          <th />
          {labels.map((label) => (
            <th key={label} scope="col">
              {nameOf(label)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {labels.map((row, at) => (
          <tr key={row}>
            <th scope="row">{nameOf(row)}</th>
            {labels.map((column, to) => {
              const value = rows[at]?.[to] ?? null
              if (row === column) {
                return (
                  <td key={column} className={matrix.self}>
                    ·
                  </td>
                )
              }
              return (
                <td key={column} style={{ background: value === null ? 'transparent' : cellColour(scale.at(value)) }}>
                  <button
                    type="button"
                    aria-label={`${nameOf(row)} and ${nameOf(column)}: ${figureText(value, figure)}`}
                    onClick={() => onPair([row, column])}
                  >
                    {figureText(value, figure)}
                  </button>
                </td>
              )
            })}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

interface DifferencesProps extends Omit<Props, 'comparison'> {
  readonly pair: CreditComparison['pairs'][number]
  readonly nameOf: (label: string) => string
}

function Differences({ pair, nameOf, source }: DifferencesProps) {
  const ids = [...new Set(pair.differ_most.map(({ id }) => id))].slice(0, 64)
  const views = useAnswer('credit.trajectories', ids.length === 0 ? null : { source, ids })
  if (ids.length === 0) return null
  return (
    <section>
      <PlainTable
        name="credit-differences"
        table={differencesTable(pair, tokenText(views.value ?? []), nameOf)}
        note={`${counted(pair.opposite_signs, 'token')} of ${pair.tokens} get opposite signs.`}
      />
    </section>
  )
}

interface StackedProps {
  readonly comparison: CreditComparison
  readonly rollouts: readonly string[]
  readonly source: CreditSource
}

function Stacked({ comparison, rollouts, source }: StackedProps) {
  const [chosen, choose] = useState('')
  const id = rollouts.includes(chosen) ? chosen : (rollouts[0] ?? '')
  const at = rollouts.indexOf(id)
  const view = useAnswer('credit.trajectories', id === '' ? null : { source, ids: [id] })
  const [place, setPlace] = useState<Place | null>(null)
  return (
    <>
      <div className={classes.bar}>
        <NativeSelect
          label="Rollout"
          w={300}
          value={id}
          data={[...rollouts]}
          onChange={(event) => choose(event.currentTarget.value)}
        />
        <Button variant="default" disabled={at <= 0} onClick={() => choose(rollouts[at - 1] ?? '')}>
          Previous
        </Button>
        <Button variant="default" disabled={at >= rollouts.length - 1} onClick={() => choose(rollouts[at + 1] ?? '')}>
          Next
        </Button>
      </div>
      <ol className={classes.lineNames}>
        {comparison.methods.map(({ label, parameters }) => (
          <li key={label}>
            {estimatorName({ label, parameters })} <small>{rangeText(comparison, label)}</small>
          </li>
        ))}
      </ol>
      <Answered answer={view} what="Reading the tokens">
        {([shown]) =>
          shown === undefined ? null : (
            <>
              <TokenizerHint views={[shown]} />
              <TurnTexts view={shown} />
              <TokenGrid
                lines={methodLines(comparison, shown)}
                quantity="advantage"
                kind="signed"
                scale={scaleOf('signed', [])}
                at={place}
                onMove={setPlace}
              />
            </>
          )
        }
      </Answered>
      <p className={classes.caption}>
        One line a method, in this order from above; each line has a scale of its own, symmetric around zero, since the
        methods’ units differ.
      </p>
    </>
  )
}
