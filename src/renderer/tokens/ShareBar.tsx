/** Under a row of tokens: its shares end to end, and what they add up to. */
import { useElementSize } from '@mantine/hooks'
import { useMemo } from 'react'
import { decimal, significant } from '../../main/report/number-text.ts'
import classes from './share-bar.module.css'
import { barEnds, shareBar } from './share-bar.ts'

interface Props {
  readonly label: string
  readonly shares: readonly number[]
  /** Named in the segments' titles. */
  readonly names: readonly string[]
  /** Of the audit, for the bar over all rows. */
  readonly conservationError?: number
  /** What these shares are a part of, and that it is whole. */
  readonly whole?: string
  /** Of the axis, where several bars are to be compared; default: this bar's own. */
  readonly ends?: readonly [number, number]
  /** Highlighted segment. */
  readonly at?: number | null
}

const lane = 11

export function ShareBar({ label, shares, names, conservationError, whole, ends, at = null }: Props) {
  const { ref, width } = useElementSize()
  const bar = useMemo(() => shareBar(shares), [shares])
  const [low, high] = ends ?? barEnds([bar])
  const x = (value: number) => 1 + ((value - low) / (high - low)) * (Math.max(width, 40) - 2)
  const words = `${label}: gains ${decimal(bar.rise)}, losses ${decimal(bar.sum - bar.rise)}, sum ${decimal(bar.sum)}`
  return (
    <div className={classes.shareBar}>
      <div ref={ref}>
        {width > 0 && (
          <svg width={width} height={2 * lane + 6} role="img" aria-label={words}>
            {bar.positive.map((segment) => (
              <rect
                key={segment.index}
                x={x(segment.from)}
                y={1}
                width={Math.max(0.4, x(segment.to) - x(segment.from))}
                height={lane - 1}
                className={classes.gain}
                data-at={at === segment.index}
              >
                <title>{`${names[segment.index]}: ${decimal(segment.share)}`}</title>
              </rect>
            ))}
            {bar.negative.map((segment) => (
              <rect
                key={segment.index}
                x={x(segment.to)}
                y={lane + 2}
                width={Math.max(0.4, x(segment.from) - x(segment.to))}
                height={lane - 1}
                className={classes.loss}
                data-at={at === segment.index}
              >
                <title>{`${names[segment.index]}: ${decimal(segment.share)}`}</title>
              </rect>
            ))}
            <line x1={x(bar.sum)} x2={x(bar.sum)} y1={0} y2={2 * lane + 6} className={classes.sumMark} />
            <line x1={x(0)} x2={x(0)} y1={0} y2={2 * lane + 6} className={classes.zeroMark} />
          </svg>
        )}
      </div>
      <p className={classes.shareWords}>
        <span>{label}</span>
        <span>
          gains <b>{decimal(bar.rise)}</b>
        </span>
        <span>
          losses <b>{decimal(bar.sum - bar.rise)}</b>
        </span>
        <span>
          sum <b>{decimal(bar.sum)}</b>
        </span>
        {whole !== undefined && <span>{whole}</span>}
        {conservationError !== undefined && (
          <span>
            conservation error <b>{significant(conservationError)}</b>
          </span>
        )}
        {bar.missing > 0 && <span>{bar.missing} without a share</span>}
      </p>
    </div>
  )
}
