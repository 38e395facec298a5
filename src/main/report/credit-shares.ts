/** An audit as bars, and as the words of its closing line: for reports and windows. Draws nothing. */
import { objectiveWords } from '../../shared/audit-defaults.ts'
import type { AuditDtype, AuditPart, CreditAudit } from '../../shared/credit-audit.ts'
import { decimal, integer, significant } from './number-text.ts'
import type { SignedBars } from './svg/chart.ts'

/** So many parts are still read as bars. */
export const mostBars = 24

/** At most `mostBars` parts: of more, the largest in their own order, and the others together in the last. */
export function foldedParts(parts: readonly AuditPart[]): readonly AuditPart[] {
  if (parts.length <= mostBars) return parts
  const largest = new Set(
    parts.toSorted((a, b) => Math.abs(b.projected_share) - Math.abs(a.projected_share)).slice(0, mostBars - 1),
  )
  const rest = parts.filter((part) => !largest.has(part))
  const sum = (of: (part: AuditPart) => number) => rest.reduce((total, part) => total + of(part), 0)
  // No norm: those of single parts do not add up to that of their sum.
  const together = {
    name: `${integer(rest.length)} other parts together`,
    positions: sum(({ positions }) => positions),
    projected_share: sum((part) => part.projected_share),
  }
  return [...parts.filter((part) => largest.has(part)), together]
}

export function auditBars(parts: readonly AuditPart[]): SignedBars {
  const norms = parts.some((part) => part.norm_share !== undefined)
  return {
    kind: 'signed-bars',
    xLabel: 'share of the whole gradient',
    series: [
      { name: 'projected share, adds up to 1', role: 'policy' },
      ...(norms ? [{ name: 'norm share, adds up to the cancellation', role: 'reference' as const }] : []),
    ],
    rows: foldedParts(parts).map(({ name, projected_share, norm_share }) => ({
      label: name,
      values: [projected_share, ...(norms ? [norm_share ?? null] : [])],
    })),
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

export function verdictOf({
  conservation_error: error,
  dtype,
}: Pick<CreditAudit, 'conservation_error' | 'dtype'>): Verdict {
  const bound = roundings * epsilons[dtype]
  const adds = error <= bound
  return {
    adds,
    text: adds
      ? `The parts add up to the whole, within the rounding of ${dtype}.`
      : `The parts do not add up: the error ${significant(error)} exceeds ${roundings} roundings of ${dtype} (${significant(bound)}).`,
  }
}

/** What was taken apart, as a sentence without its end: whose parameters, which objective, which advantages, which floats. */
export function askedWords(
  {
    reduction,
    advantages,
    trained_positions,
    dtype,
  }: Pick<CreditAudit, 'reduction' | 'advantages' | 'trained_positions' | 'dtype'>,
  policy: string,
): string {
  return `The gradient at ${policy} of J = ${objectiveWords[reduction]} (${reduction}); advantages: ${advantages}; ${integer(trained_positions)} trained positions in ${dtype}`
}

/** What a reader must know where other parameters sampled; empty where they are the same, or it is not known. */
export const otherSampler = (policy: string, sampled: boolean | null): string =>
  sampled === false
    ? `Other parameters sampled these rollouts: the shares are of the gradient at ${policy}, not of the update that was made on them.`
    : ''

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
          : `${forward === 1 ? 'one' : integer(forward)} in forward mode for all tokens; backward: one for the whole${
              audit.backward_passes > 1 ? `, ${integer(audit.backward_passes - 1)} for its parts` : ''
            }`,
    },
  ]
}
