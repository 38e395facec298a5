/**
 * What the embedded study's computing would cost on each side, composed from measured parts: no study is run. The counts
 * are those of OfficeHelpPrefs-v1 and the reference settings; every response is taken to have its full length.
 */
import type { Bench } from './bench.ts'
import { measureDecode, withPeft } from './decode-figures.ts'
import { type Comparison, compared, type Figure, gated } from './figure.ts'
import {
  batched,
  measureEvaluation,
  measurePpo,
  measureReadings,
  measureReward,
  measureSft,
  oneRow,
} from './learning-figures.ts'
import { partOf, type Samples, type Statistic, secondsOf } from './measure.ts'
import { PPO_PROMPTS } from './presets.ts'
import { EVALUATION_ROWS, READ_ROWS } from './workload.ts'

/** 168 demonstrations · 3 epochs / 8, 840 pairs · 2 epochs / 8, 100 iterations; 180 validation pairs after each epoch. */
export const studyCounts = {
  sft_steps: 63,
  reward_steps: 210,
  ppo_iterations: 100,
  /** The chosen response of each validation pair, after each of 3 epochs. */
  validation_log_probs: 3 * 180,
  /** Both responses of each validation pair after each of 2 epochs, of each test pair, and 80 probe answers. */
  scores: 2 * 2 * 180 + 2 * 180 + 80,
  /** Held-out answers of two policies, each with reference log-probabilities and a score. */
  generations: 520,
} as const

/** Seconds of one unit of each count. */
export type UnitCosts = Readonly<Record<keyof typeof studyCounts, number>>

export function composeStudy(costs: UnitCosts): { total: number; parts: Record<string, number> } {
  const names = Object.keys(studyCounts) as (keyof typeof studyCounts)[]
  const parts = Object.fromEntries(names.map((name) => [name, studyCounts[name] * costs[name]]))
  return { total: names.reduce((sum, name) => sum + studyCounts[name] * costs[name], 0), parts }
}

export async function studyEstimate(bench: Bench): Promise<Figure> {
  const [sft, reward, ppo] = [await measureSft(bench), await measureReward(bench), await measurePpo(bench)]
  const readings = await measureReadings(bench)
  const evaluation = await measureEvaluation(bench)
  const costs = (side: string, generation: (statistic: Statistic) => number) => (statistic: Statistic) => {
    const seconds = (samples: Samples | undefined) => secondsOf(samples!, statistic)
    return composeStudy({
      sft_steps: seconds(sft[side]),
      reward_steps: seconds(reward[side]),
      ppo_iterations: seconds(ppo[side]),
      validation_log_probs: seconds(readings.log_probs[side]) / READ_ROWS,
      scores: seconds(readings.scores[side]) / READ_ROWS,
      generations: generation(statistic),
    })
  }
  const ours = costs('ours', (statistic) => secondsOf(evaluation.ours!, statistic) / EVALUATION_ROWS)
  const against: Comparison[] = []
  for (const [side, rows] of bench.peer === undefined
    ? []
    : ([
        [oneRow, 1],
        [batched, 8],
      ] as const)) {
    const decode = (await measureDecode(bench, rows))[withPeft]!
    const reading = (statistic: Statistic) =>
      (partOf(ppo[side]!, 'reference', statistic) + partOf(ppo[side]!, 'judge', statistic)) / PPO_PROMPTS
    const theirs = costs(side, (statistic) => secondsOf(decode, statistic) / rows + reading(statistic))
    const [fastest, median] = [theirs('min'), theirs('median')]
    against.push({
      against: `${side}; ${bench.peer!.name}`,
      value: fastest.total,
      min: fastest.total,
      median: median.total,
      runs: ppo[side]!.runs.length,
      ratio: ours('min').total / fastest.total,
      ratio_median: ours('median').total / median.total,
      parts: fastest.parts,
    })
  }
  const [fastest, median] = [ours('min'), ours('median')]
  return gated({
    name: 'study_estimate',
    value: fastest.total,
    unit: 's',
    better: 'lower',
    min: fastest.total,
    median: median.total,
    runs: ppo.ours!.runs.length,
    ...compared(against),
    gate: { of: 'ratio', at_most: 0.5 },
    parts: fastest.parts,
    detail: { composed_from_measured_parts: true, ...studyCounts },
    shape:
      'composed from measured parts, not a measured study: steps, iterations, validation, scores and 520 generations of the embedded study, every response of full length',
  })
}
