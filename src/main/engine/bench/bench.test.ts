/** The arithmetic of the benchmark, its random checkpoint, and that each measured piece of work is what its figure says. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BadInput } from '../../../shared/bad-input.ts'
import { openStage } from '../learn/stage-context.ts'
import { gated, timedFigure } from './figure.ts'
import { interleave, secondsOf, timed } from './measure.ts'
import { type Preset, presets } from './presets.ts'
import { requireDisk, writeRandomModel } from './random-model.ts'
import { besideSaved, readSavedFigures } from './saved-figures.ts'
import { composeStudy, studyCounts } from './study-estimate.ts'
import { Workload } from './workload.ts'

const folder = mkdtempSync(join(tmpdir(), 'recompense-bench-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const samples = (...seconds: number[]) => ({ runs: seconds.map((s) => ({ seconds: s, cpuSeconds: s / 2 })) })
const setting = { preset: 'tiny', threads: 2, device: 'cpu', runtime: 'r', cpu: 'c' }

describe('figures', () => {
  test('times: the fastest run is the value, ratios are ours over theirs', () => {
    const figure = timedFigure(
      'step',
      { unit: 'ms' },
      samples(0.02, 0.01, 0.04),
      [{ against: 'x', samples: samples(0.04, 0.05, 0.08) }],
      {
        shape: 's',
        gate: { of: 'ratio', at_most: 0.5 },
      },
    )
    expect(figure).toMatchObject({
      value: 10,
      min: 10,
      median: 20,
      runs: 3,
      ratio: 0.25,
      ratio_median: 0.4,
      passes: true,
    })
    expect(figure.against?.[0]).toMatchObject({ value: 40, median: 50, cpu_ms: 20, cpu_ratio: 0.25 })
  })

  test('rates: the fastest run is the highest rate', () => {
    const rate = { unit: 'tokens/s', work: 64 } as const
    const figure = timedFigure('decode', rate, samples(1, 2), [{ against: 'x', samples: samples(16, 16) }], {
      shape: 's',
      gate: { of: 'ratio', at_least: 20 },
    })
    expect(figure).toMatchObject({ value: 64, min: 32, better: 'higher', ratio: 16, passes: false })
  })

  test('a gate on a ratio says nothing where nothing was compared', () => {
    const figure = timedFigure('step', { unit: 'ms' }, samples(1), [], {
      shape: 's',
      gate: { of: 'ratio', at_most: 1 },
    })
    expect(figure).not.toHaveProperty('passes')
    expect(gated({ ...figure, gate: { of: 'value', at_least: 2000 } }).passes).toBe(false)
  })

  test('sides take turns in alternating order, warm-up runs are not kept', async () => {
    const order: string[] = []
    const side = (name: string) => timed(async () => order.push(name))
    const taken = await interleave({ a: side('a'), b: side('b') }, { warmUp: 1, runs: 2 })
    expect(order.join('')).toBe('baabba')
    expect(taken.a.runs).toHaveLength(2)
    expect(secondsOf(taken.b, 'min')).toBeLessThanOrEqual(secondsOf(taken.b, 'median'))
  })

  test('figures of an earlier run are found by name, preset and threads', () => {
    const file = join(folder, 'earlier.jsonl')
    const figure = timedFigure('step', { unit: 'ms' }, samples(0.01), [], {
      shape: 's',
      gate: { of: 'ratio', at_most: 0.5 },
    })
    writeFileSync(file, `${JSON.stringify({ ...figure, ...setting, value: 20, median: 20 })}\n`)
    const saved = readSavedFigures(file)
    expect(besideSaved(figure, saved, setting, file)).toMatchObject({ ratio: 0.5 })
    expect(besideSaved(figure, saved, { ...setting, threads: 1 }, file)).not.toHaveProperty('ratio')
    writeFileSync(file, '{"name": "step"}\n')
    expect(() => readSavedFigures(file)).toThrow(BadInput)
    expect(() => readSavedFigures(join(folder, 'absent'))).toThrow(BadInput)
  })

  test('a study is composed of its counts', () => {
    const one = Object.fromEntries(Object.keys(studyCounts).map((name) => [name, 1])) as Parameters<
      typeof composeStudy
    >[0]
    expect(composeStudy(one).total).toBe(63 + 210 + 100 + 540 + 1160 + 520)
  })
})

describe('work', () => {
  const preset: Preset = {
    ...presets.tiny,
    config: {
      ...presets.tiny.config,
      hiddenSize: 32,
      intermediateSize: 48,
      layers: 2,
      headDim: 16,
      heads: 2,
      kvHeads: 1,
      vocabSize: 300,
    },
    rows: 2,
  }
  let workload: Workload
  beforeAll(async () => {
    const dir = join(folder, 'model')
    writeRandomModel(dir, preset, 7)
    const context = await openStage({ base: dir, device: 'cpu', threads: 1, weightCache: join(folder, 'cache') })
    workload = new Workload(context, { seed: 7, rows: preset.rows })
  })

  test('an SFT step starts near the loss of a uniform guess, moves, and is the same again', async () => {
    const [once, again] = [workload.sftStep(), workload.sftStep()]
    const first = await once()
    expect(Math.abs(first - Math.log(preset.config.vocabSize))).toBeLessThan(1)
    expect(await again()).toBe(first)
    expect(await once()).not.toBe(first)
  })

  test('a reward step has a loss near log 2', async () => {
    expect(Math.abs((await workload.rewardStep()()) - Math.LN2)).toBeLessThan(0.2)
  })

  test('generation never ends early', async () => {
    expect((await workload.decode(3, 5)()).map((row) => row.length)).toEqual([5, 5, 5])
  })

  test('a PPO iteration tells all its parts', async () => {
    expect(Object.keys(await workload.ppoIteration()()).sort()).toEqual(
      ['actor_optimization', 'critic', 'critic_optimization', 'generation', 'judge', 'reference'].sort(),
    )
  })

  test('a preset that the disk cannot hold is refused with both figures', () => {
    const huge = { ...preset, config: { ...preset.config, vocabSize: 2 ** 40 } }
    expect(() => requireDisk(folder, huge)).toThrow(/needs \d+ MB of disk, \d+ MB are free/)
  })
})
