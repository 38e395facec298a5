/** An audit as bars, and as the words of its closing line. Draws nothing. */
import { decimal, integer, significant } from '../../../main/report/number-text.ts'
import type { SignedBars } from '../../../main/report/svg/chart.ts'
import type { AuditDtype, CreditAudit } from '../../../shared/credit-audit.ts'

export interface AuditBars {
  readonly chart: SignedBars
  /** Parts with a bar of their own, of all. */
  readonly shown: number
  readonly all: number
}

/** So many parts are still read as bars; of more, the largest stand alone and the others in one bar. */
export const mostBars = 24

export function auditBars({ parts }: CreditAudit): AuditBars {
  const norms = parts.some((part) => part.norm_share !== undefined)
  const largest =
    parts.length <= mostBars
      ? parts
      : parts.toSorted((a, b) => Math.abs(b.projected_share) - Math.abs(a.projected_share)).slice(0, mostBars)
  const named = new Set(largest.map(({ name }) => name))
  const rest = parts.filter(({ name }) => !named.has(name))
  const rows = parts
    .filter(({ name }) => named.has(name))
    .map((part) => ({
      label: part.name,
      values: [part.projected_share, ...(norms ? [part.norm_share ?? null] : [])],
    }))
  if (rest.length > 0) {
    const sum = rest.reduce((total, part) => total + part.projected_share, 0)
    rows.push({ label: `${integer(rest.length)} other parts together`, values: [sum, ...(norms ? [null] : [])] })
  }
  return {
    chart: {
      kind: 'signed-bars',
      xLabel: 'share of the whole gradient',
      series: [
        { name: 'projected share, adds up to 1', role: 'policy' },
        ...(norms ? [{ name: 'norm share, adds up to the cancellation', role: 'reference' as const }] : []),
      ],
      rows,
    },
    shown: largest.length,
    all: parts.length,
  }
}

/** Relative spacing of numbers near 1. */
const epsilons: Readonly<Record<AuditDtype, number>> = { float64: 2 ** -52, float32: 2 ** -23, bfloat16: 2 ** -7 }

/** An error of this many spacings is still rounding: sums over many positions round many times. */
const roundings = 100

export interface Verdict {
  readonly adds: boolean
  readonly text: string
}

export function verdictOf({ conservation_error: error, dtype }: CreditAudit): Verdict {
  const bound = roundings * epsilons[dtype]
  const adds = error <= bound
  return {
    adds,
    text: adds
      ? `The parts add up to the whole, within the rounding of ${dtype}.`
      : `The parts do not add up: the error ${significant(error)} exceeds ${roundings} roundings of ${dtype} (${significant(bound)}).`,
  }
}

export interface ClosingFigure {
  readonly name: string
  readonly figure: string
  readonly note: string
}

/** Does it add up? Each figure with what it is. */
export function closingLine(audit: CreditAudit): ClosingFigure[] {
  const { projected_share_sum: sum, cancellation, forward_mode_passes: forward } = audit
  return [
    {
      name: 'Σ projected shares',
      figure: decimal(sum, 3),
      note: sum === 1 ? 'exactly' : `off by ${significant(sum - 1)}`,
    },
    {
      name: 'Conservation error',
      figure: significant(audit.conservation_error),
      note:
        audit.conservation_of === 'gradient'
          ? '‖Σ parts − whole‖ / ‖whole‖; the whole has a backward pass of its own'
          : '|Σ shares − 1|: shares from forward mode, along a whole from its own backward pass',
    },
    ...(cancellation === undefined
      ? []
      : [
          {
            name: 'Cancellation',
            figure: decimal(cancellation, 2),
            note: `Σ norm shares; ${((1 - 1 / Math.max(1, cancellation)) * 100).toFixed(0)} % of what the parts push is undone by other parts`,
          },
        ]),
    { name: 'Whole gradient', figure: significant(audit.full_norm), note: 'L2 norm over the trained parameters' },
    {
      name: 'Precision',
      figure: audit.dtype,
      note:
        audit.emulation ??
        audit.accumulation ??
        `${integer(audit.trained_positions)} trained positions${audit.parameters === 0 ? '' : `, ${integer(audit.parameters)} parameters`}`,
    },
    {
      name: 'Passes',
      figure:
        forward === undefined
          ? integer(audit.backward_passes)
          : `${integer(forward)} + ${integer(audit.backward_passes)}`,
      note:
        forward === undefined
          ? 'backward, the whole included'
          : 'forward-mode for all tokens, and backward for the whole',
    },
  ]
}
