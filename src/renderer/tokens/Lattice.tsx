/** Which token carried it? One row a rollout, one cell a token; two rollouts or two updates stand over each other. */
import { NativeSelect, Switch } from '@mantine/core'
import { useSessionStorage } from '@mantine/hooks'
import { useMemo, useState } from 'react'
import { decimal, significant } from '../../main/report/number-text.ts'
import type { RolloutListing, RolloutView } from '../../shared/ipc.ts'
import { useAnswer } from '../bridge/index.ts'
import { CornerMenu, type Exportable } from '../charts/index.ts'
import { reportPlaces } from '../reports/report-places.ts'
import { Verdict } from '../samples/Verdict.tsx'
import { colourScale, kindOf } from './colour-scale.ts'
import { LatticeGrid } from './LatticeGrid.tsx'
import { LatticeLegend } from './LatticeLegend.tsx'
import { type LatticeRow, latticeRows, valuesOf } from './lattice-rows.ts'
import { RewardLine } from './RewardLine.tsx'
import { ShareBar } from './ShareBar.tsx'
import { TokenCard } from './TokenCard.tsx'
import type { Place } from './TokenGrid.tsx'
import { exactShare, type Quantity, quantities, quantityOf, visibleToken } from './token-numbers.ts'
import classes from './tokens.module.css'

interface Props {
  readonly studyId: string
  readonly view: RolloutView
  /** All rollouts of the study, to stand one beside this. */
  readonly others: readonly RolloutListing[]
}

export function Lattice({ studyId, view, others }: Props) {
  const [kept, setQuantity] = useSessionStorage<Quantity>({
    key: 'recompense.lattice.quantity',
    // What proves itself comes first: shares that add up, where the run recorded them.
    defaultValue: view.audits.length > 0 ? exactShare : 'advantage',
    getInitialValueInEffect: false,
  })
  const quantity = kept === exactShare && view.audits.length === 0 ? 'advantage' : kept
  const updates = view.observations.map(({ update }) => update)
  const [chosenUpdate, setUpdate] = useState<number | null>(null)
  const update = chosenUpdate !== null && updates.includes(chosenUpdate) ? chosenUpdate : (updates.at(-1) ?? null)
  const [beside, setBeside] = useState('')
  const [at, setAt] = useState<Place | null>(null)
  const [prompt, setPrompt] = useState(false)
  const besideRollout = beside !== '' && !beside.startsWith('update ') ? beside : null
  const second = useAnswer(
    'rollouts.show',
    besideRollout === null ? null : { study_id: studyId, rollout_id: besideRollout },
  )
  const rows = useMemo(() => {
    if (beside.startsWith('update ')) return latticeRows(view, update, { view: null, update: Number(beside.slice(7)) })
    if (second.value !== undefined && besideRollout !== null) {
      return latticeRows(view, update, { view: second.value, update: null })
    }
    return latticeRows(view, update, null)
  }, [view, update, beside, besideRollout, second.value])
  const scale = useMemo(() => colourScale(quantity, valuesOf(rows, quantity)), [rows, quantity])
  const row = at === null ? undefined : rows[at.row]
  const samePrompt = others.filter(
    (one) => one.prompt_id === view.rollout.prompt_id && one.rollout_id !== view.rollout.rollout_id,
  )
  const rest = others.filter((one) => one.prompt_id !== view.rollout.prompt_id)
  return (
    <div>
      <div className={classes.bar}>
        <NativeSelect
          label="Colour by"
          data={quantities.filter((one) => one !== exactShare || view.audits.length > 0)}
          value={quantity}
          onChange={(event) => setQuantity(event.currentTarget.value as Quantity)}
        />
        <NativeSelect
          label="Ratio at update"
          data={updates.map(String)}
          value={String(update ?? '')}
          disabled={updates.length === 0}
          onChange={(event) => setUpdate(Number(event.currentTarget.value))}
        />
        <NativeSelect
          label="Set beside it"
          value={beside}
          onChange={(event) => setBeside(event.currentTarget.value)}
          data={[
            { value: '', label: 'nothing' },
            ...updates
              .filter((one) => one !== update)
              .map((one) => ({ value: `update ${one}`, label: `the same at update ${one}` })),
            ...group('Same prompt', samePrompt),
            ...group('Other prompts', rest.slice(-400)),
          ]}
        />
        <Switch
          size="xs"
          mb={6}
          label={`show the prompt, ${view.prompt_tokens.length} masked tokens`}
          checked={prompt}
          onChange={(event) => setPrompt(event.currentTarget.checked)}
        />
        <span style={{ flex: 1 }} />
        <CornerMenu exportable={exportableOf(rows, studyId)} />
      </div>
      <LatticeLegend scale={scale} quantity={quantity} kind={kindOf(quantity)} />
      <div className={classes.layout}>
        <div>
          {rows.map((one) => (
            <p key={one.letter} className={classes.rowName}>
              <b>
                {rows.length > 1 ? `${one.letter}  ` : ''}
                {one.name}
              </b>
              <span>iteration {one.view.rollout.iteration}</span>
              <span>prompt {one.view.rollout.prompt_id}</span>
              <span>learned reward {decimal(one.view.rollout.learned_reward_score)}</span>
              <Verdict rubric={one.view.rubric} />
              {!one.view.rollout.tokenization_valid && <span>holds ids outside the vocabulary</span>}
            </p>
          ))}
          {prompt && (
            <p className={classes.prompt}>
              {view.prompt_tokens.map((text, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a token is its position in the prompt
                <span key={index} className={classes.promptToken} title="prompt: masked, not trained on">
                  {visibleToken(text)}
                </span>
              ))}
            </p>
          )}
          <LatticeGrid rows={rows} quantity={quantity} scale={scale} at={at} onMove={setAt} />
          {quantity === exactShare &&
            rows.map((one, index) => <Shares key={one.letter} row={one} at={at?.row === index ? at.index : null} />)}
          {rows
            .filter((one, index) => index === 0 || one.view !== rows[0]?.view)
            .map((one) => (
              <RewardLine key={one.letter} row={one} lettered={rows.length > 1} />
            ))}
        </div>
        <TokenCard
          token={at === null ? null : (row?.tokens[at.index] ?? null)}
          of={row === undefined ? '' : rows.length > 1 ? `${row.letter}, ${row.name}` : row.name}
          quantity={quantity}
          update={row?.update ?? null}
        />
      </div>
    </div>
  )
}

/** The row's shares end to end; those of the whole update add up to one, and how nearly is said. */
function Shares({ row, at }: { readonly row: LatticeRow; readonly at: number | null }) {
  const audit = row.view.audits.find(({ update }) => update === row.update) ?? row.view.audits[0]
  if (audit === undefined) return null
  return (
    <ShareBar
      label={`${row.letter === 'A' ? '' : `${row.letter}, `}of the gradient of update ${audit.update}`}
      shares={row.tokens.map((token) => quantityOf(token, exactShare, row.update))}
      names={row.tokens.map((token) => `token ${token.index}, ${visibleToken(token.text)}`)}
      whole={`the ${audit.rollouts} rollouts of the update add up to 1.000`}
      conservationError={audit.conservation_error}
      at={at}
    />
  )
}

function group(name: string, rollouts: readonly RolloutListing[]) {
  if (rollouts.length === 0) return []
  const items = rollouts.map((one) => ({
    value: one.rollout_id,
    label: `iteration ${one.iteration} · ${one.prompt_id} · ${decimal(one.learned_reward_score, 2)}`,
  }))
  return [{ group: name, items }]
}

function exportableOf(rows: readonly LatticeRow[], study: string): Exportable {
  const head = [
    'rollout',
    'position',
    'id',
    'text',
    'log-prob',
    'reference',
    'ratio',
    'value',
    'reward',
    'advantage',
    'return',
  ]
  const list = rows.flatMap((row) =>
    row.tokens.map((token) => {
      const ratio = token.updates.find((seen) => seen.update === row.update)?.ratio ?? null
      const { index, id, text, logprob, reference, value, reward, advantage } = token
      return [row.name, index, id, text, logprob, reference, ratio, value, reward, advantage, token.return] as const
    }),
  )
  const caption = `Every number of the tokens of ${rows.map((row) => row.name).join(' and ')}`
  return {
    name: 'tokens',
    title: 'Token lattice',
    caption,
    drawing: null,
    report: { study, at: reportPlaces.rollouts },
    records: () => ({ head, rows: list }),
    table: () => ({
      caption,
      columns: head.map((label, index) => ({ label, numeric: index !== 0 && index !== 3 })),
      rows: list.map((row) => ({
        cells: row.map((cell) =>
          typeof cell === 'number' ? (Number.isInteger(cell) ? String(cell) : significant(cell)) : (cell ?? '—'),
        ),
      })),
    }),
  }
}
