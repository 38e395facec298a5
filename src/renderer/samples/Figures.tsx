/** The few numbers of one response, named. */
import type { ReactNode } from 'react'
import { change, decimal } from '../../main/report/number-text.ts'
import { finishWords } from './finish-words.ts'
import type { SampleRow } from './sample-rows.ts'
import classes from './samples.module.css'
import { Verdict } from './Verdict.tsx'

export function Figures({ row }: { readonly row: SampleRow }) {
  return (
    <dl className={classes.figures}>
      <Fact name="learned reward">{decimal(row.reward)}</Fact>
      <Fact name="rubric">
        <Verdict rubric={row.rubric} />
      </Fact>
      {row.parts !== null && (
        <>
          <Fact name="judge">{change(row.parts.judge)}</Fact>
          <Fact name="KL">{change(row.parts.kl)}</Fact>
          <Fact name="truncation">{change(row.parts.truncation)}</Fact>
        </>
      )}
      <Fact name="sampled log-ratio">{change(row.logratio)}</Fact>
      <Fact name="tokens">
        {row.tokens}, {finishWords[row.finish]}
      </Fact>
    </dl>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
