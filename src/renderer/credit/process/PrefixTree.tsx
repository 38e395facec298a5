/** The tree of a group's rollouts: where they part, and the mean reward of what lies below. */
import { decimal } from '../../../main/report/number-text.ts'
import { cellColour, scaleOf } from '../../tokens/colour-scale.ts'
import { visibleToken } from '../../tokens/token-numbers.ts'
import type { PrefixNode } from './prefix-tree.ts'
import classes from './process.module.css'

/** Longer stretches are cut in the middle; the whole is in the title. */
const mostTokens = 24

export function PrefixTree({ root, group }: { readonly root: PrefixNode; readonly group: string }) {
  const scale = scaleOf(
    'signed',
    valuesOf(root).map((value) => value - (root.value ?? 0)),
  )
  return (
    <ul className={classes.tree} aria-label={`Prefix tree of group ${group}`}>
      <Node node={root} base={root.value ?? 0} at={scale.at} root />
    </ul>
  )
}

function valuesOf({ value, children }: PrefixNode): number[] {
  return [...(value === null ? [] : [value]), ...children.flatMap(valuesOf)]
}

interface NodeProps {
  readonly node: PrefixNode
  readonly base: number
  readonly at: (value: number) => number
  readonly root?: boolean
}

/** Stands for a token whose text is not known: numbers need a space between them. */
const isNumber = (text: string) => /^#\d+$/.test(text)

function Node({ node, base, at, root = false }: NodeProps) {
  const { tokens, rollouts, value, children } = node
  const text = tokens.map(({ text }) => visibleToken(text)).join('')
  const shown = tokens.length <= mostTokens ? tokens : [...tokens.slice(0, 14), null, ...tokens.slice(-8)]
  return (
    <li>
      <div className={classes.node}>
        <span
          className={classes.value}
          style={{ background: cellColour(value === null ? Number.NaN : at(value - base)) }}
        >
          {decimal(value, 2)}
        </span>
        <span className={classes.count}>
          {rollouts.length === 1 ? rollouts[0] : `${rollouts.length} rollouts`}
          {root ? ', all' : ''}
        </span>
        {tokens.length > 0 ? (
          <code title={text}>
            {shown.map((token, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a token is its position
              <span key={index} data-action={token === null || token.action}>
                {token === null ? ' … ' : `${visibleToken(token.text)}${isNumber(token.text) ? ' ' : ''}`}
              </span>
            ))}
          </code>
        ) : (
          <span className={classes.count}>nothing shared: they part at the first token</span>
        )}
      </div>
      {children.length > 0 && (
        <ul>
          {children.map((child) => (
            <Node key={child.rollouts[0]} node={child} base={base} at={at} />
          ))}
        </ul>
      )}
    </li>
  )
}
