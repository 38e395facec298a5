/** Every number of the chosen token. */
import { change, decimal, percent, significant } from '../../main/report/number-text.ts'
import { exactShare, type Quantity, type TokenNumbers, visibleToken } from './token-numbers.ts'
import classes from './tokens.module.css'

interface Props {
  readonly token: TokenNumbers | null
  readonly of: string
  readonly quantity: Quantity
  readonly update: number | null
}

export function TokenCard({ token, of, quantity, update }: Props) {
  if (token === null) {
    return (
      <aside className={classes.card} aria-label="Numbers of a token">
        <p className={classes.help}>Point at a token, or move with the arrow keys, to read all its numbers.</p>
      </aside>
    )
  }
  const rows: readonly (readonly [string, string, boolean])[] = [
    ['log-prob at sampling', decimal(token.logprob, 4), quantity === 'log-prob'],
    ['probability', percent(Math.exp(token.logprob), 2), false],
    ['reference log-prob', decimal(token.reference, 4), quantity === 'reference log-prob'],
    ['log-ratio to reference', change(token.logprob - token.reference, 4), quantity === 'log-ratio to reference'],
    ['value before it', decimal(token.value, 4), quantity === 'value'],
    ['reward', change(token.reward, 4), quantity === 'reward'],
    ['advantage', change(token.advantage, 4), quantity === 'advantage'],
    ['return', decimal(token.return, 4), quantity === 'return'],
  ]
  return (
    <aside className={classes.card} aria-label="Numbers of a token" aria-live="polite">
      <h2>
        <code>{visibleToken(token.text)}</code>
      </h2>
      <p className={classes.help}>
        {of}, response token {token.index}, id {token.id}
      </p>
      <table>
        <tbody>
          {rows.map(([name, value, chosen]) => (
            <tr key={name} data-chosen={chosen}>
              <th scope="row">{name}</th>
              <td>{value}</td>
            </tr>
          ))}
          {token.updates.flatMap((seen) => [
            <tr key={`${seen.update}`} data-head="true">
              <th colSpan={2}>at update {seen.update}</th>
            </tr>,
            <tr key={`${seen.update} ratio`} data-chosen={quantity === 'ratio' && update === seen.update}>
              <th scope="row">ratio</th>
              <td>{decimal(seen.ratio, 4)}</td>
            </tr>,
            <tr key={`${seen.update} off`}>
              <th scope="row">ratio − 1</th>
              <td>{seen.ratio === 1 ? '0' : significantChange(seen.ratio - 1)}</td>
            </tr>,
            ...(Number.isFinite(seen.share)
              ? [
                  <tr key={`${seen.update} share`} data-chosen={quantity === exactShare && update === seen.update}>
                    <th scope="row">exact credit share</th>
                    <td>{change(seen.share, 4)}</td>
                  </tr>,
                ]
              : []),
            <tr key={`${seen.update} log-prob`}>
              <th scope="row">log-prob</th>
              <td>{decimal(seen.logprob, 4)}</td>
            </tr>,
            <tr key={`${seen.update} value`}>
              <th scope="row">value</th>
              <td>{decimal(seen.value, 4)}</td>
            </tr>,
          ])}
        </tbody>
      </table>
    </aside>
  )
}

/** How far a ratio is from 1 matters at any size. */
const significantChange = (value: number) => (value > 0 ? `+${significant(value)}` : significant(value))
