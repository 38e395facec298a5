/** Answers of the credit laboratory for people: estimates, comparisons, diagnoses, induced process rewards. */
import {
  type CreditComparison,
  type CreditDiagnosis,
  type CreditEstimate,
  creditScales,
  type Diagnosis,
  type ProcessReward,
  type RolloutEstimate,
  type SpreadByScale,
} from '../../shared/credit-estimates.ts'
import type { Trajectory } from '../../shared/trajectory.ts'
import type { Method } from '../engine/credit/estimators/method.ts'
import { flagOf } from '../engine/credit/estimators/settings.ts'
import { decimal, plural, significant } from './figures.ts'
import { plainText } from './plain-text.ts'
import type { Style } from './style.ts'
import { facts, table } from './table.ts'

/** Rows of a table that a screen can hold; `--json` has all. */
const shownRows = 40

const signed = (value: number) => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`
const number = (value: number | null, digits = 4) => (value === null ? '–' : decimal(value, digits))
const share = (value: number | null) => (value === null ? '–' : `${(100 * value).toFixed(1)} %`)

export function methodFacts(method: Method) {
  const { name, formula, step, reads, needs, settings, source, cannotClaim, conventions } = method
  const flags = settings.map(flagOf)
  return { name, formula, step, rewards: reads, needs, flags, source, cannot_claim: cannotClaim, conventions }
}

export function methodsText(style: Style, methods: readonly Method[]): string {
  return methods
    .map((method) => {
      const { name, formula, needs, flags, source, cannot_claim } = methodFacts(method)
      const entries: (readonly [string, string])[] = [
        ['  computes', formula],
        ['  needs', needs.length === 0 ? 'token ids and outcome' : needs.join('; ')],
        ['  flags', flags.join(' ') || 'none'],
        ['  source', source],
        ['  cannot claim', cannot_claim],
      ]
      return `${style.strong(name)}\n${facts(entries)}`
    })
    .join('\n\n')
}

export function estimateText(style: Style, result: CreditEstimate, trajectories: readonly Trajectory[]): string {
  const outcomes = new Map(trajectories.map(({ id, reward }) => [id, reward]))
  const shown = result.trajectories.slice(0, shownRows)
  const list = (row: RolloutEstimate) => row.tokens.map(({ advantage }) => advantage)
  const most = (row: RolloutEstimate, pick: (...values: number[]) => number) => {
    const values = list(row)
    return values.length === 0 ? '' : signed(values.reduce((a, b) => pick(a, b)))
  }
  return [
    heading(style, result.method, result.parameters),
    facts([
      ['formula', result.formula],
      ...Object.entries(result.conventions).map(([k, v]) => [words(k), `${v}`] as const),
    ]),
    table(
      [
        { title: 'rollout', cell: (row) => plainText(row.id) },
        { title: 'group', cell: (row) => plainText(row.group) },
        { title: 'outcome', cell: (row) => number(outcomes.get(row.id) ?? null, 3), align: 'right' },
        { title: 'tokens', cell: (row) => String(row.tokens.length), align: 'right' },
        { title: 'lowest', cell: (row) => most(row, Math.min), align: 'right' },
        { title: 'highest', cell: (row) => most(row, Math.max), align: 'right' },
        { title: 'mean advantage of each action turn', cell: (row) => (row.abstained ? absent(row) : turnMeans(row)) },
      ],
      shown,
    ),
    ...more(style, result.trajectories.length, 'rollout'),
    spreadTable(result.summary),
    closing(style, result.notes, `cannot claim: ${result.cannot_claim}`),
  ].join('\n\n')
}

function absent({ absence }: RolloutEstimate): string {
  return absence === 'environment_failure' ? 'environment failed, left out' : 'not graded, left out'
}

function turnMeans({ tokens }: RolloutEstimate): string {
  const turns = new Map<number, number[]>()
  for (const { turn, advantage } of tokens) turns.set(turn, [...(turns.get(turn) ?? []), advantage])
  const means = [...turns.values()].map((list) => signed(list.reduce((sum, value) => sum + value, 0) / list.length))
  return means.length > 6 ? `${means.slice(0, 6).join(' ')} … ${means.length} turns` : means.join(' ')
}

function heading(style: Style, name: string, parameters: Readonly<Record<string, unknown>>): string {
  const said = Object.entries(parameters).map(
    ([key, value]) => `${words(key)} ${typeof value === 'number' ? value : (value ?? '–')}`,
  )
  return [style.strong(name), ...said].join('  ')
}

const words = (key: string) => key.replaceAll('_', ' ')

function more(style: Style, rows: number, noun: string): string[] {
  return rows > shownRows ? [style.quiet(`… ${plural(rows - shownRows, `more ${noun}`)}; --json has all`)] : []
}

function spreadTable(summary: SpreadByScale): string {
  return table(
    [
      { title: 'advantage by', cell: (scale) => scale },
      { title: 'mean', cell: (scale) => number(summary[scale].mean), align: 'right' },
      { title: 'std', cell: (scale) => number(summary[scale].std), align: 'right' },
      { title: 'n', cell: (scale) => String(summary[scale].n), align: 'right' },
    ],
    creditScales,
  )
}

function closing(style: Style, notes: readonly string[], limit: string): string {
  return [...notes.map((note) => style.warn(`note: ${plainText(note)}`)), style.quiet(limit)].join('\n')
}

export function comparisonText(style: Style, result: CreditComparison): string {
  const notes = [...new Set(result.methods.flatMap((method) => method.notes))]
  return [
    style.strong(`${plural(result.methods.length, 'method')} on ${plural(result.tokens, 'token')}`),
    table(
      [
        { title: '', cell: (method) => String(result.methods.indexOf(method) + 1), align: 'right' },
        { title: 'method', cell: ({ label }) => label },
        { title: 'parameters', cell: ({ parameters }) => inline(parameters) },
        { title: 'mean', cell: ({ summary }) => number(summary.token.mean), align: 'right' },
        { title: 'std', cell: ({ summary }) => number(summary.token.std), align: 'right' },
      ],
      result.methods,
    ),
    `Above the diagonal rank correlation, below it the share of equal signs in per cent\n${matrix(result)}`,
    `Where they differ most, by rank among all tokens (0 lowest, 1 highest)\n${gaps(result)}`,
    closing(style, notes, 'agreement is no proof: methods that share a critic share its mistakes'),
  ].join('\n\n')
}

function inline(parameters: Readonly<Record<string, unknown>>): string {
  return Object.entries(parameters)
    .map(([key, value]) => `${words(key)} ${value ?? '–'}`)
    .join(', ')
}

function matrix({ methods, pairs }: CreditComparison): string {
  const pairOf = (i: number, j: number) => pairs.find(({ a, b }) => a === methods[i]!.label && b === methods[j]!.label)
  const cell = (i: number, j: number) => {
    if (i === j) return '·'
    if (i < j) return number(pairOf(i, j)?.rank_correlation ?? null, 2)
    const agreement = pairOf(j, i)?.sign_agreement ?? null
    return agreement === null ? '–' : (100 * agreement).toFixed(0)
  }
  return table(
    [
      { title: '', cell: (i) => `${i + 1} ${methods[i]!.label}` },
      ...methods.map((_, j) => ({ title: String(j + 1), cell: (i: number) => cell(i, j), align: 'right' as const })),
    ],
    methods.map((_, i) => i),
  )
}

/** Every named token of few methods; of many, one for each of the pairs that agree least. */
function gaps({ methods, pairs }: CreditComparison): string {
  const least = [...pairs].sort((a, b) => (a.rank_correlation ?? -2) - (b.rank_correlation ?? -2))
  const rows = (
    methods.length <= 3 ? pairs : least.filter((pair) => pair.rank_correlation !== null).slice(0, 8)
  ).flatMap((pair) => pair.differ_most.slice(0, methods.length <= 3 ? undefined : 1).map((gap) => ({ pair, gap })))
  if (rows.length === 0) return 'nowhere: the ranks are equal, or a method gives every token the same'
  return table(
    [
      { title: 'pair', cell: ({ pair }) => `${pair.a} | ${pair.b}` },
      { title: 'token', cell: ({ gap }) => plainText(`${gap.id}/turn ${gap.turn}/token ${gap.index}`) },
      { title: 'advantages', cell: ({ gap }) => gap.advantages.map(signed).join(' | '), align: 'right' },
      { title: 'ranks', cell: ({ gap }) => gap.ranks.map((rank) => rank.toFixed(2)).join(' | '), align: 'right' },
    ],
    rows,
  )
}

const marks: Readonly<Record<Diagnosis['status'], string>> = { ok: '✓', warning: '!', failed: '✗', skipped: '–' }

export function diagnosisText(style: Style, { method, parameters, rollouts, checks }: CreditDiagnosis): string {
  const look = { ok: style.good, warning: style.warn, failed: style.bad, skipped: style.quiet }
  const widest = Math.max(...checks.map(({ id }) => id.length))
  const lines = checks.map(({ id, status, figure, detail }) => {
    const value = figure === null ? '' : significant(figure, 4)
    const lead = `${look[status](marks[status])} ${id.padEnd(widest)}  ${value.padStart(9)}  `
    return lead + wrap(plainText(detail), 76, widest + 15)
  })
  return [`${heading(style, method, parameters)}  on ${plural(rollouts, 'rollout')}`, lines.join('\n')].join('\n\n')
}

function wrap(text: string, cells: number, indent: number): string {
  const lines: string[] = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!
    if (line !== '' && line.length + 1 + word.length > cells) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines.join(`\n${' '.repeat(indent)}`)
}

export function processRewardText(style: Style, result: ProcessReward): string {
  const { groups, killed_groups: killed, verdict, remedy, abstained } = result
  const look = { refused: style.bad, partial: style.warn, informative: style.good }
  const positions = groups.reduce((sum, group) => sum + group.positions, 0)
  return [
    `${look[verdict](verdict)}: ${killed} of ${plural(groups.length, 'group')} killed, with no process reward to read`,
    facts([
      ['process reward', result.formula],
      ['trained positions', plural(positions, 'token')],
      ['exactly zero', `${share(result.mean_zero_reward_fraction)} of a group's positions on average`],
      ['informative', `${share(result.max_informative_fraction)} of a group's positions at most`],
      ['not graded', `${plural(abstained, 'rollout')}, left out`],
      ...(remedy === null ? [] : [['remedy', remedy] as const]),
    ]),
    table(
      [
        { title: 'group', cell: (group) => plainText(group.group) },
        { title: 'rollouts', cell: (group) => String(group.rollouts), align: 'right' },
        { title: 'mean outcome', cell: (group) => number(group.root_value), align: 'right' },
        { title: 'common prefix', cell: (group) => String(group.longest_common_prefix), align: 'right' },
        { title: 'divergence depth', cell: (group) => number(group.mean_divergence_depth, 2), align: 'right' },
        { title: 'informative', cell: (group) => share(group.informative_fraction), align: 'right' },
        { title: 'zero', cell: (group) => share(group.zero_reward_fraction), align: 'right' },
        { title: '', cell: (group) => (group.killed ? 'killed' : '') },
      ],
      groups.slice(0, shownRows),
    ),
    ...more(style, groups.length, 'group'),
    ...reasons(groups),
    ...result.notes.map((note) => style.warn(`note: ${plainText(note)}`)),
  ].join('\n\n')
}

function reasons(groups: ProcessReward['groups']): string[] {
  const counts = new Map<string, number>()
  for (const { reason } of groups) if (reason !== null) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  if (counts.size === 0) return []
  return [[...counts].map(([reason, killed]) => `killed ${plural(killed, 'group')}: ${reason}`).join('\n')]
}
