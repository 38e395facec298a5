/** Does the reward add up? The tokens' rewards against the parts they were made of. */
import { change, decimal, significant } from '../../main/report/number-text.ts'
import type { LatticeRow } from './lattice-rows.ts'
import { rewardSum } from './token-numbers.ts'
import classes from './tokens.module.css'

export function RewardLine({ row, lettered }: { readonly row: LatticeRow; readonly lettered: boolean }) {
  const sum = rewardSum(row.view)
  return (
    <p className={classes.sum}>
      {lettered && <b>{row.letter}</b>}
      <span>Σ token rewards</span> <b>{decimal(sum.tokens, 4)}</b>
      <span>= judge</span> <b>{change(sum.judge, 4)}</b>
      <span>+ KL</span> <b>{change(sum.kl, 4)}</b>
      <span>+ truncation</span> <b>{change(sum.truncation, 4)}</b>
      <span>= {decimal(sum.parts, 4)}; difference</span> <b>{significant(sum.difference)}</b>
      <span>
        over {row.tokens.length} tokens,{' '}
        {row.view.rollout.finish_reason === 'eos' ? 'ended by itself' : 'cut at the limit'}
      </span>
    </p>
  )
}
