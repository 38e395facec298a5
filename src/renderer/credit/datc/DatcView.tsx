/** One reading of token weights among its ablations: predicted gains, the rollouts' figures, and the weights token by token. */
import { useMemo } from 'react'
import { significant } from '../../../main/report/number-text.ts'
import type { CreditResult, CreditResultListing } from '../../../shared/credit.ts'
import { ask, useAnswer, useWorkbench } from '../../bridge/index.ts'
import { SignedBars } from '../../charts/index.ts'
import { Answered, Notice } from '../../parts/index.ts'
import { counted } from '../../words/index.ts'
import classes from '../credit.module.css'
import { PlainTable } from '../PlainTable.tsx'
import type { TabProps } from '../TabOf.tsx'
import { datcQuantities } from '../tokens/quantities.ts'
import { TokensView } from '../tokens/TokensView.tsx'
import { ablationTable, gainBars, gainsOf, mostBars, type ReadResult, rolloutTable } from './datc-tables.ts'
import { useEach } from './use-each.ts'

interface Props extends TabProps {
  /** Finished ones of these rollouts, newest first. */
  readonly results: readonly CreditResultListing[]
  readonly open: CreditResultListing
  readonly onOpen: (runId: string) => void
}

/** Settings set side by side. */
const mostCompared = 12

export function DatcView({ results, open, source, onOpen }: Props) {
  const { bridge } = useWorkbench()
  const compared = useEach(
    results.slice(0, mostCompared).map(({ run_id }) => run_id),
    (run_id) => ask(bridge, 'credit.result', { run_id }),
  )
  const read = compared.flatMap(readOf)
  const answer = useAnswer('credit.result', { run_id: open.run_id })
  return (
    <>
      {read.length > 1 && (
        <section>
          <PlainTable
            name="datc-settings"
            table={ablationTable(read)}
            note="A row opens its weights."
            selected={read.findIndex(({ listing }) => listing.run_id === open.run_id)}
            onSelect={(row) => onOpen(read[row]?.listing.run_id ?? open.run_id)}
          />
        </section>
      )}
      <Answered answer={answer} what="Reading the weights">
        {(result) => {
          const [one] = readOf(result)
          return one === undefined ? null : <Reading result={one} source={source} />
        }}
      </Answered>
    </>
  )
}

const readOf = ({ listing, datc }: CreditResult): ReadResult[] => (datc === null ? [] : [{ listing, reading: datc }])

function Reading({
  result: { reading },
  source,
}: {
  readonly result: ReadResult
  readonly source: TabProps['source']
}) {
  const { gain, uniform } = gainsOf(reading)
  const bars = useMemo(() => gainBars(reading), [reading])
  const ids = reading.rows.slice(0, 64).map(({ id }) => id)
  const views = useAnswer('credit.trajectories', ids.length === 0 ? null : { source, ids })
  return (
    <>
      <p className={classes.figures}>
        <span>
          <b>{counted(reading.rows.length, 'rollout')}</b>, λ {reading.max_weight}, ablation {reading.ablation}
        </span>
        {gain !== null && (
          <span>
            mean predicted gain <b>{significant(gain)}</b>, with equal weights <b>{significant(uniform)}</b>
          </span>
        )}
        {reading.left_out > 0 && <span>{counted(reading.left_out, 'ungraded rollout')} left out</span>}
      </p>
      {reading.rows.every(({ advantage }) => advantage === 0) && (
        <Notice tone="warn" title="Nothing to share out">
          Every advantage is zero: each rollout is alone in its group, or its group was rewarded alike, so no weight is
          moved. Choose rollouts of a run that samples groups, of the desk, or of iterations in which prompts come
          again.
        </Notice>
      )}
      <SignedBars
        name="datc-gains"
        title="Predicted gain"
        chart={bars}
        notes={reading.rows.length > mostBars ? [{ text: `first ${mostBars} of ${reading.rows.length} rollouts` }] : []}
        caption="First order, at the sampled response, as if the policy’s logits were independent of each other: parameters are shared, so a real step gains otherwise."
      />
      <Answered answer={views} what="Reading the tokens">
        {(shown) => (
          <TokensView
            views={shown}
            quantities={datcQuantities(shown, reading.rows)}
            preferred="datc weight"
            slot="datc"
          />
        )}
      </Answered>
      <PlainTable name="datc-rollouts" table={rolloutTable(reading)} />
    </>
  )
}
