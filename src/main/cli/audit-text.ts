/** A credit audit as people read it: the shares, the line where they close, and what the reading can and cannot resolve. */
import { objectiveWords } from '../../shared/audit-defaults.ts'
import {
  type AuditPart,
  type CreditAudit,
  otherPolicyFrom,
  type RefusedAudit,
  type SamplingGap,
  type StepConservation,
} from '../../shared/credit-audit.ts'
import { count, decimal, plural, significant } from './figures.ts'
import { plainText } from './plain-text.ts'
import type { Style } from './style.ts'
import { facts, table } from './table.ts'

/** A terminal shows no more at a glance; --json has every part. */
const mostParts = 40
const barCells = 24

/** @param adapter the folder whose policy was audited; undefined: none was given */
export function auditText(audit: CreditAudit | RefusedAudit, adapter: string | undefined, style: Style): string {
  return 'verdict' in audit ? refusedText(audit, adapter, style) : sharesText(audit, adapter, style)
}

function sharesText(audit: CreditAudit, adapter: string | undefined, style: Style): string {
  const shown = largest(audit.parts)
  const hidden = audit.parts.length - shown.length
  const { cancellation } = audit
  const scale = audit.parts.reduce((most, part) => Math.max(most, Math.abs(part.projected_share)), 0)
  const total = { name: `Σ of ${plural(audit.parts.length, 'part')}`, positions: audit.trained_positions }
  const rows: Row[] = [
    ...shown.map((part) => ({ ...part, bar: bar(part.projected_share / scale) })),
    {
      ...total,
      projected_share: audit.projected_share_sum,
      ...(cancellation !== undefined && { norm_share: cancellation }),
      bar: '',
    },
  ]
  const columns = [
    { title: audit.partition, cell: (row: Row) => plainText(row.name) },
    { title: 'tokens', cell: (row: Row) => count(row.positions), align: 'right' as const },
    { title: 'share of the step', cell: (row: Row) => decimal(row.projected_share), align: 'right' as const },
    ...(cancellation !== undefined
      ? [{ title: 'norm', cell: (row: Row) => decimal(row.norm_share!), align: 'right' as const }]
      : []),
    { title: '', cell: (row: Row) => row.bar },
  ]
  return [
    table(columns, rows),
    ...(hidden > 0 ? [style.quiet(`the ${shown.length} largest shares; ${hidden} more with --json`)] : []),
    '',
    facts(closing(audit, adapter, style)),
    style.quiet(
      'First order, and of this gradient at these parameters: without a part, the shares of the others would change.',
    ),
  ].join('\n')
}

interface Row extends AuditPart {
  readonly bar: string
}

/** In their own order, the largest of them where there are too many to show. */
function largest(parts: readonly AuditPart[]): readonly AuditPart[] {
  if (parts.length <= mostParts) return parts
  const bound = parts.map((part) => Math.abs(part.projected_share)).sort((a, b) => b - a)[mostParts - 1]!
  return parts.filter((part) => Math.abs(part.projected_share) >= bound).slice(0, mostParts)
}

/** Length by size, sign in front: what pulls against the step must not look like what drives it. */
function bar(share: number): string {
  const cells = Math.round(Math.abs(share) * barCells)
  return cells === 0 ? '' : `${share < 0 ? '−' : ' '}${'█'.repeat(cells)}`
}

function closing(audit: CreditAudit, adapter: string | undefined, style: Style): (readonly [string, string])[] {
  const { cancellation, conservation_error, conservation_of, projected_share_sum } = audit
  const against =
    conservation_of === 'gradient'
      ? '‖Σg_S − g‖ / ‖g‖, with g from a backward pass of its own'
      : '|Σ shares − 1|, shares from forward mode along the g of a backward pass'
  return [
    [
      'adds up',
      `Σ shares ${projected_share_sum.toFixed(9)}; conservation error ${style.strong(significant(conservation_error))}`,
    ],
    ['', style.quiet(against)],
    ...(cancellation === undefined ? [] : [['cancels', cancelled(cancellation)] as const]),
    [
      'gradient',
      `‖g‖ ${audit.full_norm.toPrecision(6)} over ${count(audit.parameters)} parameters; ${passes(audit)}, ${arithmetic(audit)}`,
    ],
    ...about(audit, adapter, style),
    ...(audit.step_conservation === undefined
      ? []
      : [['real step', stepText(audit.step_conservation, style)] as const]),
  ]
}

function cancelled(cancellation: number): string {
  const share = Math.max(0, 1 - 1 / cancellation)
  return `Σ norms ${decimal(cancellation)} ‖g‖: ${(100 * share).toFixed(0)} % of the parts' gradients cancels between them`
}

const arithmetic = ({ dtype, accumulation }: CreditAudit) =>
  accumulation === undefined ? dtype : `${dtype} (${accumulation})`

function passes({ backward_passes: backward, forward_mode_passes: forward }: CreditAudit): string {
  const back = `${count(backward)} backward ${backward === 1 ? 'pass' : 'passes'}`
  return forward === undefined ? back : `${back}, ${count(forward)} in forward mode`
}

function about(
  audit: CreditAudit | RefusedAudit,
  adapter: string | undefined,
  style: Style,
): (readonly [string, string])[] {
  const { reduction, advantages, rollouts, trained_positions, left_out, emulation, sampling_gap: gap } = audit
  const without = left_out.length === 0 ? '' : `; ${plural(left_out.length, 'rollout')} without a grade left out`
  return [
    ['objective', `J = ${objectiveWords[reduction]}; advantages: ${plainText(advantages)}`],
    ['tokens', `${count(trained_positions)} of ${plural(rollouts, 'rollout')}${without}`],
    [
      'adapter',
      adapter === undefined
        ? 'none given: a fresh one of rank 8 with B = 0, whose gradient lies in B alone'
        : plainText(adapter),
    ],
    ...(gap === undefined ? [] : [['sampled by', gapText(gap, style)] as const]),
    ...(emulation === undefined ? [] : [['bfloat16', emulation] as const]),
  ]
}

function gapText({ mean, max }: SamplingGap, style: Style): string {
  const differs = `log π differs from what the rollouts carry by ${significant(mean)} a token, at most ${significant(max)}`
  return mean < otherPolicyFrom
    ? `this policy: ${differs}`
    : `${style.warn('another policy')}: ${differs}\n           the shares add up all the same, and are of a step that none of its updates took`
}

function stepText(step: StepConservation, style: Style): string {
  if ('refused' in step) return `${style.warn('refused')}  ${step.refused}`
  const { optimizer, relative_error, update_precision_floor, update_precision_limited } = step
  const read = `${optimizer}: (θ′ − θ)/η differs from the sum by ${significant(relative_error)}; the comparison resolves ${significant(update_precision_floor)}`
  return update_precision_limited
    ? `${read}\n           ${style.warn('limited by precision')}: the step is too small against the parameters to be read back; this is no fault of the sum`
    : read
}

function refusedText(audit: RefusedAudit, adapter: string | undefined, style: Style): string {
  const numbers = Object.entries(audit.numbers).map(([name, value]) => `${name.replaceAll('_', ' ')} ${count(value)}`)
  return facts([
    ['refused', style.warn(audit.reason)],
    ['numbers', numbers.join(', ')],
    ['remedy', audit.remedy],
    ...about(audit, adapter, style),
  ])
}
