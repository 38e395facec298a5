/** What `bench` prints: one figure a line, with how it was measured and, where asked, what it was measured against. */
import { cpuSecondsOf, pick, type Samples, type Statistic, secondsOf } from './measure.ts'

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
  /** Least processor time of a run, and ours over theirs: the part of the comparison that a busy machine disturbs least. */
  readonly cpu_ms?: number
  readonly cpu_ratio?: number
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
  /** Least processor time of a run, all threads. */
  readonly cpu_ms?: number
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
      ...cpuOf(samples),
      ...cpuRatio(ours, samples),
      ...partsOf(samples),
      ...(agreement && { agreement }),
    }),
  )
  return gated({
    name,
    unit: scale.unit,
    better: scale.unit === 'ms' ? 'lower' : 'higher',
    ...summary(scale, ours),
    ...cpuOf(ours),
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

function cpuOf(samples: Samples): { cpu_ms?: number } {
  const seconds = cpuSecondsOf(samples)
  return seconds === undefined ? {} : { cpu_ms: 1000 * seconds }
}

function cpuRatio(ours: Samples, theirs: Samples): { cpu_ratio?: number } {
  const [mine, other] = [cpuSecondsOf(ours), cpuSecondsOf(theirs)]
  return mine === undefined || !other ? {} : { cpu_ratio: mine / other }
}

function partsOf({ runs }: Samples): Pick<Figure, 'parts'> {
  const names = [...new Set(runs.flatMap((run) => Object.keys(run.parts ?? {})))]
  if (names.length === 0) return {}
  const fastest = (name: string) => Math.min(...runs.map((run) => run.parts?.[name] ?? 0))
  return { parts: Object.fromEntries(names.map((name) => [name, fastest(name)])) }
}

/** A figure in lines for people, each rival on a line of its own. */
export function figureLines(figure: Figure): string[] {
  const { name, value, unit, median, runs, against = [], gate, passes } = figure
  const bound = gate?.at_most !== undefined ? `at most ${gate.at_most}` : `at least ${gate?.at_least}`
  const verdict = passes === undefined ? '' : `; ${gate?.of} ${bound}: ${passes ? 'kept' : 'MISSED'}`
  const several = runs > 1 ? `, median ${number(median)} of ${runs} runs` : ''
  return [
    `${name.padEnd(16)} ${number(value)} ${unit}${several}${verdict}`,
    ...against.map((rival) => {
      const cpu = rival.cpu_ratio === undefined ? '' : `, processor time ${number(rival.cpu_ratio)}`
      return `${' '.repeat(17)}${number(rival.ratio)} of ${number(rival.value)} ${unit} (medians ${number(rival.ratio_median)}${cpu}): ${rival.against}`
    }),
  ]
}

function number(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3)
}
