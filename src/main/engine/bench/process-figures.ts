/** Figures of whole processes: memory, start-up, and whether two of them compute the same bytes. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Bench } from './bench.ts'
import { inChild, runSelf, type SessionReport } from './child.ts'
import { type Comparison, compared, type Figure, gated, timedFigure } from './figure.ts'
import { interleave, timed } from './measure.ts'
import { Peer } from './peer.ts'
import { RESPONSE } from './presets.ts'

const megabyte = 1024 * 1024

function session(bench: Bench, steps: number): Promise<SessionReport> {
  const { preset, threads, seed } = bench.options
  const { model, cache } = bench
  return inChild({ kind: 'session', preset: preset.name, model, cache, threads, seed, steps }) as Promise<SessionReport>
}

/** Peak memory of a fresh process that trains for a few steps, and what it took to get ready. */
export async function memory(bench: Bench): Promise<Figure[]> {
  const report = await session(bench, 3)
  const against: Comparison[] = []
  if (bench.peer !== undefined && bench.options.worker !== undefined) {
    const peer = await Peer.open(bench.options.worker, bench.peerModel)
    try {
      const rows = bench.workload.rows(bench.workload.rowsOfStep).map((row) => [...row.promptIds, ...row.completionIds])
      for (let step = 0; step < 3; step++) await peer.ask({ op: 'sft', rows, response: RESPONSE, micro: rows.length })
      const value = ((await peer.ask({ op: 'memory' })).peak_rss_bytes ?? Number.NaN) / megabyte
      const ratio = report.peak_rss_bytes / megabyte / value
      against.push({
        against: `batched; ${peer.name}`,
        value,
        min: value,
        median: value,
        runs: 1,
        ratio,
        ratio_median: ratio,
      })
    } finally {
      peer.close()
    }
  }
  const peak = report.peak_rss_bytes / megabyte
  const shape = `fresh process, one training session, 3 steps of ${bench.workload.rowsOfStep} rows`
  return [
    {
      name: 'memory',
      ...single(peak, 'MiB'),
      ...compared(against),
      ...(report.private_bytes !== null && { detail: { private_mib: report.private_bytes / megabyte } }),
      shape: `peak resident set: ${shape}`,
    },
    {
      name: 'session_create',
      ...single(report.ready_seconds, 's'),
      detail: { step_seconds: report.step_seconds },
      shape: 'from opening the checkpoint until the first training step is done, in a fresh process',
    },
  ]
}

const single = (value: number, unit: string) =>
  ({ value, unit, better: 'lower', min: value, median: value, runs: 1 }) as const

/** From nothing to an answer: `help`, and `tokenize` on a file of eight rows. */
export async function startup(bench: Bench): Promise<Figure[]> {
  const input = path.join(bench.folder, 'texts.jsonl')
  const rows = Array.from({ length: 8 }, (_, i) =>
    JSON.stringify({ id: `t${i}`, text: 'The printer is offline again.' }),
  )
  writeFileSync(input, `${rows.join('\n')}\n`)
  const runs = Math.max(3, Math.round(bench.options.repeat / 2))
  bench.options.note('measuring startup')
  const measured = await interleave(
    {
      help: timed(() => runSelf(['help'])),
      tokenize: timed(() => runSelf(['tokenize', '--model', bench.model, '--input', input, '--json'])),
    },
    { runs, warmUp: 1 },
  )
  return [
    timedFigure('startup', { unit: 'ms' }, measured.help, [], { shape: 'recompense help, a whole process' }),
    timedFigure('startup_tokenize', { unit: 'ms' }, measured.tokenize, [], {
      shape: 'recompense tokenize of 8 short texts, a whole process',
    }),
  ]
}

/** The same two steps in two fresh processes: 1 where losses, gradients and learned tensors are equal byte for byte. */
export async function determinism(bench: Bench): Promise<Figure> {
  const [a, b] = [await session(bench, 2), await session(bench, 2)]
  const equal =
    a.gradient_sha256 === b.gradient_sha256 &&
    a.learned_sha256 === b.learned_sha256 &&
    a.losses.every((loss, i) => Object.is(loss, b.losses[i]))
  return gated({
    name: 'determinism',
    ...single(Number(equal), 'equal'),
    better: 'higher',
    runs: 2,
    gate: { of: 'value', at_least: 1 },
    detail: { learned_sha256: a.learned_sha256, gradient_sha256: a.gradient_sha256 },
    shape: 'two training steps in two fresh processes: losses, gradient bytes and learned bytes',
  })
}
