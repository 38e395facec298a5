/** Rollouts token by token, coloured by one quantity; every number of the chosen token beside; shares add up under each. */
import { Button, NativeSelect, Switch } from '@mantine/core'
import { useSessionStorage } from '@mantine/hooks'
import { type ReactNode, useMemo, useState } from 'react'
import { decimal, significant } from '../../../main/report/number-text.ts'
import type { TrajectoryView } from '../../../shared/credit.ts'
import { CornerMenu } from '../../charts/index.ts'
import { scaleOf } from '../../tokens/colour-scale.ts'
import { LatticeLegend } from '../../tokens/LatticeLegend.tsx'
import { ShareBar } from '../../tokens/ShareBar.tsx'
import bars from '../../tokens/share-bar.module.css'
import { barEnds, shareBar } from '../../tokens/share-bar.ts'
import { type Place, TokenGrid } from '../../tokens/TokenGrid.tsx'
import classes from '../credit.module.css'
import { CreditCard } from './CreditCard.tsx'
import { exportableTokens } from './exportable-tokens.ts'
import type { TokenQuantity } from './quantities.ts'
import { TokenizerHint, TurnTexts } from './TurnTexts.tsx'
import { cellsOf, type LineCell } from './token-lines.ts'

interface Props {
  readonly views: readonly TrajectoryView[]
  readonly quantities: readonly TokenQuantity[]
  /** Shown first where the reader has chosen nothing. */
  readonly preferred: string
  readonly study?: string | undefined
  readonly note?: ReactNode
  /** Where the reader's choice is kept; default: one for all. */
  readonly slot?: string
}

/** Rows of a page: a row of several hundred cells is drawn in a moment, a hundred rows are not. */
const page = 6

interface At extends Place {
  readonly id: string
}

export function TokensView({ views, quantities, preferred, study, note, slot = 'quantity' }: Props) {
  const [kept, keep] = useSessionStorage<string>({
    key: `recompense.credit.${slot}`,
    defaultValue: '',
    getInitialValueInEffect: false,
  })
  const [context, showContext] = useState(false)
  const [start, setStart] = useState(0)
  const [at, setAt] = useState<At | null>(null)
  const quantity =
    quantities.find(({ key }) => key === kept) ?? quantities.find(({ key }) => key === preferred) ?? quantities[0]
  const rows = useMemo(
    () =>
      quantity === undefined ? [] : views.map((view) => ({ view, cells: cellsOf(view, quantity.value, { context }) })),
    [views, quantity, context],
  )
  const scale = useMemo(() => {
    const values = rows.flatMap(({ cells }) => actionsOf(cells).map(({ value }) => value))
    return quantity === undefined ? null : scaleOf(quantity.kind, values)
  }, [rows, quantity])
  const ends = useMemo(
    () => barEnds(rows.map(({ cells }) => shareBar(actionsOf(cells).map(({ value }) => value)))),
    [rows],
  )
  if (quantity === undefined || scale === null) return null
  const from = Math.min(start, Math.max(0, views.length - 1))
  const shown = rows.slice(from, from + page)
  const chosen = at === null ? null : (rows.find(({ view }) => view.trajectory.id === at.id)?.cells[at.index] ?? null)
  const allShares = rows.flatMap(({ view, cells }) =>
    actionsOf(cells).map((cell) => ({ id: view.trajectory.id, cell })),
  )
  return (
    <>
      <div className={`${classes.bar} ${classes.apart}`}>
        <NativeSelect
          label="Colour by"
          w={260}
          value={quantity.key}
          data={grouped(quantities)}
          onChange={(event) => keep(event.currentTarget.value)}
        />
        <Switch
          size="xs"
          mb={6}
          label="show prompts and observations"
          checked={context}
          onChange={(event) => {
            // The same place in the row is another token then.
            setAt(null)
            showContext(event.currentTarget.checked)
          }}
        />
        <span className={classes.spring} />
        <CornerMenu exportable={exportableTokens(views, quantities, study)} />
      </div>
      {note}
      <TokenizerHint views={views} />
      <LatticeLegend scale={scale} quantity={quantity.label} kind={quantity.kind} />
      {quantity.of !== undefined && <p className={`${classes.caption} ${classes.apart}`}>{quantity.of}</p>}
      <div className={classes.layout}>
        <div>
          {shown.map(({ view, cells }) => (
            <RolloutRow
              key={view.trajectory.id}
              view={view}
              cells={cells}
              quantity={quantity}
              scale={scale}
              ends={ends}
              at={at?.id === view.trajectory.id ? at : null}
              onMove={(place) => setAt({ ...place, id: view.trajectory.id })}
            />
          ))}
          {views.length > page && (
            <div className={classes.row}>
              <Button variant="default" disabled={from === 0} onClick={() => setStart(Math.max(0, from - page))}>
                Previous
              </Button>
              <span>
                rollouts {from + 1}–{Math.min(from + page, views.length)} of {views.length}
              </span>
              <Button variant="default" disabled={from + page >= views.length} onClick={() => setStart(from + page)}>
                Next
              </Button>
            </div>
          )}
          {quantity.share !== undefined && views.length > 1 && (
            <ShareBar
              label={
                quantity.share.rollouts === views.length
                  ? `all ${views.length} rollouts`
                  : `${views.length} of ${quantity.share.rollouts} audited rollouts`
              }
              shares={allShares.map(({ cell }) => cell.value)}
              names={allShares.map(({ id, cell }) => `${id}, ${cell.place}`)}
              {...(quantity.share.conservationError === null
                ? {}
                : { conservationError: quantity.share.conservationError })}
            />
          )}
          {quantity.share !== undefined && views.length === 1 && quantity.share.conservationError !== null && (
            <p className={bars.shareWords}>
              <span>
                {quantity.share.rollouts === 1
                  ? 'the only rollout of its audit'
                  : `all ${quantity.share.rollouts} audited rollouts add up to 1.000`}
              </span>
              <span>
                conservation error <b>{significant(quantity.share.conservationError)}</b>
              </span>
            </p>
          )}
        </div>
        <CreditCard cell={chosen} of={at?.id ?? ''} quantities={quantities} chosen={quantity.key} />
      </div>
    </>
  )
}

interface RowProps {
  readonly view: TrajectoryView
  readonly cells: readonly LineCell[]
  readonly quantity: TokenQuantity
  readonly scale: ReturnType<typeof scaleOf>
  /** Of the share bars of all rollouts in view. */
  readonly ends: readonly [number, number]
  readonly at: Place | null
  readonly onMove: (place: Place) => void
}

const actionsOf = (cells: readonly LineCell[]) => cells.filter(({ kind }) => kind === 'action')

function RolloutRow({ view, cells, quantity, scale, ends, at, onMove }: RowProps) {
  const { trajectory } = view
  const actions = actionsOf(cells)
  const chosen = at === null ? undefined : cells[at.index]
  return (
    <section aria-label={`Rollout ${trajectory.id}`}>
      <p className={classes.rowName}>
        <b>{trajectory.id}</b>
        <span>group {trajectory.group}</span>
        <span>{trajectory.reward === null ? 'abstained' : `reward ${decimal(trajectory.reward)}`}</span>
        <span>{trajectory.truncated ? 'truncated' : 'terminal'}</span>
      </p>
      <TurnTexts view={view} />
      <TokenGrid
        lines={[{ key: trajectory.id, letter: null, cells }]}
        quantity={quantity.label}
        kind={quantity.kind}
        scale={scale}
        at={at}
        onMove={onMove}
      />
      {quantity.share !== undefined && (
        <ShareBar
          label="this rollout"
          ends={ends}
          shares={actions.map(({ value }) => value)}
          names={actions.map(({ place }) => place)}
          at={chosen === undefined ? null : actions.indexOf(chosen)}
        />
      )}
    </section>
  )
}

function grouped(quantities: readonly TokenQuantity[]) {
  const groups = new Map<string, { value: string; label: string }[]>()
  for (const { group, key, label } of quantities) {
    const items = groups.get(group) ?? []
    items.push({ value: key, label })
    groups.set(group, items)
  }
  return [...groups].map(([group, items]) => ({ group, items }))
}
