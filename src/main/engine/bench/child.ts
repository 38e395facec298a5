/**
 * Work that needs a process of its own: what a fresh process holds in memory, whether two processes compute the same
 * bytes, and writing a checkpoint whose weights should be forgotten afterwards.
 */

import { spawn } from 'node:child_process'
import { bytesSha256, learnedSha256 } from '../checkpoint/learned-state.ts'
import { Learner } from '../learn/learner.ts'
import { openStage } from '../learn/stage-context.ts'
import { peakRssBytes, statusBytes } from '../runtime/memory.ts'
import { type PresetName, presets } from './presets.ts'
import { writeRandomModel } from './random-model.ts'
import { benchPolicy, Workload } from './workload.ts'

export type ChildJob =
  | { readonly kind: 'write'; readonly preset: PresetName; readonly dir: string; readonly seed: number }
  | {
      readonly kind: 'session'
      readonly preset: PresetName
      readonly model: string
      readonly cache: string
      readonly threads: number
      readonly seed: number
      readonly steps: number
    }

export interface SessionReport {
  /** From opening the base until the first step is done: what comes before training goes at its pace. */
  readonly ready_seconds: number
  readonly step_seconds: number
  readonly peak_rss_bytes: number
  /** Memory of this process alone, at its end: without the mapped weights. Null where the system does not tell. */
  readonly private_bytes: number | null
  readonly losses: readonly number[]
  readonly gradient_sha256: string
  readonly learned_sha256: string
}

export async function runChildJob(job: ChildJob): Promise<SessionReport | { written: string }> {
  if (job.kind === 'write') {
    writeRandomModel(job.dir, presets[job.preset], job.seed)
    return { written: job.dir }
  }
  const { model, cache, threads, seed, steps, preset } = job
  const opened = performance.now()
  const context = await openStage({ base: model, device: 'cpu', threads, weightCache: cache })
  const workload = new Workload(context, { seed, rows: presets[preset].rows })
  const learner = new Learner(benchPolicy(context.base, seed))
  const step = workload.sftStep(learner)
  const losses = [await step()]
  const ready = performance.now()
  while (losses.length < steps) losses.push(await step())
  const later = (performance.now() - ready) / 1000 / Math.max(1, steps - 1)
  return {
    ready_seconds: (ready - opened) / 1000,
    step_seconds: later,
    peak_rss_bytes: peakRssBytes(),
    private_bytes: statusBytes('RssAnon'),
    losses,
    gradient_sha256: bytesSha256(learner.part.data),
    learned_sha256: learnedSha256(learner.role.state),
  }
}

/** Arguments that start this very program again, before the command's own. */
export const selfArguments = (): string[] => [...process.execArgv, process.argv[1]!]

/** Flag of `bench` that makes it do one job and print the answer. */
export const childFlag = '--child-job'

export async function inChild(job: ChildJob): Promise<unknown> {
  const text = await runSelf(['bench', childFlag, JSON.stringify(job), '--json'])
  return JSON.parse(text)
}

/** Runs the program with `args`; resolves to its stdout. */
export function runSelf(args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...selfArguments(), ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    let [out, errors] = ['', '']
    child.stdout.on('data', (data: Buffer) => {
      out += data.toString()
    })
    child.stderr.on('data', (data: Buffer) => {
      errors += data.toString()
    })
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) resolve(out)
      else reject(new Error(`a measuring process failed: ${faultLine(errors) ?? `status ${code}`}`))
    })
  })
}

/** The line of a process's stderr that says what went wrong: its own `error:` line, or that of an uncaught exception. */
function faultLine(errors: string): string | undefined {
  const lines = errors.split('\n').map((line) => line.trim())
  return lines.findLast((line) => /^(error:|\w*Error\b)/.test(line)) ?? lines.findLast((line) => line !== '')
}
