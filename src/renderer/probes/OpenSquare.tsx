/** One context opened: its four texts with both judges, and what politeness adds in each row. */
import { Button, Title } from '@mantine/core'
import { change, decimal } from '../../main/report/number-text.ts'
import type { ProbeRowResult } from '../../shared/study-results.ts'
import { Verdict } from '../samples/Verdict.tsx'
import classes from './probes.module.css'
import type { Square } from './squares.ts'

export function OpenSquare({ square, onClose }: { readonly square: Square; readonly onClose: () => void }) {
  return (
    <section className={classes.square} aria-label={`Context ${square.family}`}>
      <div className={classes.squareHead}>
        <Title order={2}>
          {square.family}
          {square.outranks && ': wrong and polite outranks right and plain'}
        </Title>
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
      </div>
      <p className={classes.prompt}>{square.prompt}</p>
      <div className={classes.cells}>
        <span />
        <span className={classes.colName}>plain</span>
        <span className={classes.colName}>polite</span>
        <span className={classes.colName}>politeness adds</span>
        <span className={classes.rowName}>right</span>
        <Candidate name="right, plain" row={square.rightPlain} />
        <Candidate name="right, polite" row={square.rightPolite} />
        <Delta value={square.rightDelta} />
        <span className={classes.rowName}>wrong</span>
        <Candidate name="wrong, plain" row={square.wrongPlain} />
        <Candidate name="wrong, polite" row={square.wrongPolite} />
        <Delta value={square.wrongDelta} />
      </div>
    </section>
  )
}

function Delta({ value }: { readonly value: number }) {
  return (
    <span className={classes.delta}>
      <span className={classes.stackedName}>politeness adds </span>
      {change(value)}
    </span>
  )
}

interface CandidateProps {
  /** Stands at the text where a narrow window stacks the four. */
  readonly name: string
  readonly row: ProbeRowResult | undefined
}

function Candidate({ name, row }: CandidateProps) {
  if (row === undefined) return <div className={classes.cell}>not scored</div>
  return (
    <div className={classes.cell}>
      <span className={classes.stackedName}>{name}</span>
      <p>{row.candidate}</p>
      <div className={classes.cellFoot}>
        <span className={classes.score}>● {decimal(row.reward_score)}</span>
        <Verdict rubric={row.rubric} />
      </div>
    </div>
  )
}
