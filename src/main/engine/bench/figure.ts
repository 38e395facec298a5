/** What `bench` prints: one figure a line, with how it was measured and, where asked, what it was measured against. */
import { pick, type Samples, type Statistic, secondsOf } from './measure.ts'

export interface Comparison {
  /** The other side, in words. */
  readonly against: string
  readonly value: number
  readonly min: number
  readonly median: number
  readonly runs: number
  /** Ours over theirs: at the fastest run of each, and at the median run of each. */
  readonly ratio: number
  readonly ratio_median: number
  readonly parts?: Readonly<Record<string, number>>
  readonly agreement?: Readonly<Record<string, number>>
}

/** A bound on the first comparison's `ratio`, or on the value itself. */
export interface Gate {
  readonly of: 'ratio' | 'value'
  readonly at_most?: number
  readonly at_least?: number
}

export interface Figure {
  readonly name: string
  /** At the fastest run. */
  readonly value: number
  readonly unit: string
  readonly better: 'lower' | 'higher'
  /** Smallest and median value over the runs. */
  readonly min: number
  readonly median: number
  readonly runs: number
  readonly ratio?: number
  readonly ratio_median?: number
  readonly against?: readonly Comparison[]
  readonly gate?: Gate
  /** Absent without a gate, or where the gate is on a ratio and nothing was compared. */
  readonly passes?: boolean
  /** Seconds by phase at the fastest value of each. */
  readonly parts?: Readonly<Record<string, number>>
  readonly detail?: Readonly<Record<string, string | number | boolean>>
  /** What was computed, in words. */
  readonly shape: string
}

/** Where a figure comes from; the same for all of one run. */
export interface Setting {
  readonly preset: string
  readonly threads: number
  readonly device: string
  readonly runtime: string
  readonly cpu: string
}

/** Milliseconds, lower is better; or units of work a second, higher is better. */
export type Scale = { readonly unit: 'ms' } | { readonly unit: 'tokens/s'; readonly work: number }

const valueAt = (scale: Scale, seconds: number) => (scale.unit === 'ms' ? 1000 * seconds : scale.work / seconds)

function summary(scale: Scale, samples: Samples) {
  const values = samples.runs.map((run) => valueAt(scale, run.seconds))
  return {
    value: valueAt(scale, secondsOf(samples, 'min')),
    min: pick(values, 'min'),
    median: pick(values, 'median'),
    runs: values.length,
  }
}

export interface Rival {
  readonly against: string
  readonly samples: Samples
  readonly agreement?: Readonly<Record<string, number>>
}

/** A figure of timed runs, compared with each rival at the fastest and at the median run. */
export function timedFigure(
  name: string,
  scale: Scale,
  ours: Samples,
  rivals: readonly Rival[],
  rest: Pick<Figure, 'shape' | 'gate' | 'detail'>,
): Figure {
  const ratio = (rival: Samples, statistic: Statistic) =>
    valueAt(scale, secondsOf(ours, statistic)) / valueAt(scale, secondsOf(rival, statistic))
  const against = rivals.map(
    ({ against, samples, agreement }): Comparison => ({
      against,
      ...summary(scale, samples),
      ratio: ratio(samples, 'min'),
      ratio_median: ratio(samples, 'median'),
      ...partsOf(samples),
      ...(agreement && { agreement }),
    }),
  )
  return gated({
    name,
    unit: scale.unit,
    better: scale.unit === 'ms' ? 'lower' : 'higher',
    ...summary(scale, ours),
    ...partsOf(ours),
    ...compared(against),
    ...rest,
  })
}

/** The first comparison's ratios stand at the top of the line. */
export function compared(against: readonly Comparison[]): Pick<Figure, 'ratio' | 'ratio_median' | 'against'> {
  const [first] = against
  return first === undefined ? {} : { ratio: first.ratio, ratio_median: first.ratio_median, against }
}

/** Says whether the gate is kept, where it can be said. */
export function gated(figure: Figure): Figure {
  const { gate } = figure
  const held = gate && (gate.of === 'ratio' ? figure.ratio : figure.value)
  if (gate === undefined || held === undefined) return figure
  return { ...figure, passes: held <= (gate.at_most ?? Infinity) && held >= (gate.at_least ?? -Infinity) }
}

function partsOf({ runs }: Samples): Pick<Figure, 'parts'> {
  const names = [...new Set(runs.flatMap((run) => Object.keys(run.parts ?? {})))]
  if (names.length === 0) return {}
  const fastest = (name: string) => Math.min(...runs.map((run) => run.parts?.[name] ?? 0))
  return { parts: Object.fromEntries(names.map((name) => [name, fastest(name)])) }
}

/** One line for people. */
export function figureLine(figure: Figure): string {
  const { name, value, unit, median, runs, against = [], gate, passes } = figure
  const rivals = against.map(
    (rival) =>
      `${number(rival.ratio)}× of ${number(rival.value)} (${rival.against}; medians ${number(rival.ratio_median)}×)`,
  )
  const bound = gate?.at_most !== undefined ? `≤ ${gate.at_most}` : `≥ ${gate?.at_least}`
  const verdict = passes === undefined ? [] : [`gate ${bound}: ${passes ? 'kept' : 'MISSED'}`]
  const own = `${name.padEnd(16)} ${number(value)} ${unit}${runs > 1 ? ` (median ${number(median)}, ${runs} runs)` : ''}`
  return [own, ...rivals, ...verdict].join(' · ')
}

function number(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3)
}
