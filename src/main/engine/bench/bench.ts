/**
 * One benchmark run: a random checkpoint, our side, the other side where there is one, and every measurement taken once
 * however many figures read it.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import path from 'node:path'
import { openBase } from '../checkpoint/hf-folder.ts'
import { saveRole } from '../learn/role.ts'
import { openStage, type StageContext } from '../learn/stage-context.ts'
import { runtimeVersion } from '../runtime/session.ts'
import { inChild } from './child.ts'
import type { Setting } from './figure.ts'
import { interleave, type Samples, type Side } from './measure.ts'
import { Peer, type PeerModel } from './peer.ts'
import type { Preset } from './presets.ts'
import { requireDisk } from './random-model.ts'
import { benchPolicy, Workload } from './workload.ts'

export interface BenchOptions {
  readonly preset: Preset
  readonly threads: number
  readonly seed: number
  readonly repeat: number
  /** The Python worker to compare with. */
  readonly worker?: string
  readonly signal: AbortSignal
  readonly note: (line: string) => void
}

/** Ours under `ours`; each of theirs under its own words. */
export type Measured = Readonly<Record<string, Samples>>

export class Bench {
  readonly options: BenchOptions
  readonly folder: string
  readonly model: string
  readonly workload: Workload
  readonly peer: Peer | undefined
  private readonly context: StageContext
  private readonly taken = new Map<string, Promise<unknown>>()

  private constructor(options: BenchOptions, folder: string, context: StageContext, peer: Peer | undefined) {
    this.options = options
    this.folder = folder
    this.model = path.join(folder, 'model')
    this.context = context
    this.peer = peer
    this.workload = new Workload(context, { seed: options.seed, rows: options.preset.rows })
  }

  /** Writes the checkpoint, opens both sides, runs `body`, and removes every file whatever happens. */
  static async during<T>(options: BenchOptions, body: (bench: Bench) => Promise<T>): Promise<T> {
    const { preset, threads, seed, worker } = options
    requireDisk(tmpdir(), preset)
    const folder = mkdtempSync(path.join(tmpdir(), 'recompense-bench-'))
    let peer: Peer | undefined
    const leave = () => {
      peer?.close()
      rmSync(folder, { recursive: true, force: true })
    }
    process.on('exit', leave)
    try {
      const model = path.join(folder, 'model')
      await inChild({ kind: 'write', preset: preset.name, dir: model, seed })
      const policy = path.join(folder, 'policy')
      saveRole(policy, benchPolicy(openBase(model), seed))
      if (worker !== undefined) peer = await Peer.open(worker, { model, policy, threads })
      const context = await openStage({ base: model, device: 'cpu', threads, weightCache: path.join(folder, 'cache') })
      return await body(new Bench(options, folder, context, peer))
    } finally {
      leave()
      process.off('exit', leave)
    }
  }

  get peerModel(): PeerModel {
    return { model: this.model, policy: path.join(this.folder, 'policy'), threads: this.options.threads }
  }

  get cache(): string {
    return path.join(this.folder, 'cache')
  }

  setting(): Setting {
    const { preset, threads } = this.options
    return {
      preset: preset.name,
      threads,
      device: this.context.device.name,
      runtime: `onnxruntime ${runtimeVersion()}`,
      cpu: cpus()[0]?.model ?? 'unknown',
    }
  }

  /** Takes a measurement the first time it is asked for. */
  once<T>(name: string, take: () => Promise<T>): Promise<T> {
    const known = this.taken.get(name) as Promise<T> | undefined
    if (known !== undefined) return known
    const taken = take()
    this.taken.set(name, taken)
    return taken
  }

  /**
   * Measures our side and, where a worker runs, its answers to `rivals`, in turn.
   * @param share of the asked number of runs that this measurement takes; at least 2 runs
   */
  measure(
    name: string,
    ours: () => Side,
    rivals: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {},
    { share = 1, warmUp = this.options.preset.warmUp }: { share?: number; warmUp?: number } = {},
  ): Promise<Measured> {
    return this.once(name, async () => {
      const { peer } = this
      this.options.note(`measuring ${name.replaceAll('_', ' ')}`)
      await peer?.ask({ op: 'reset' })
      const theirs =
        peer === undefined ? [] : Object.entries(rivals).map(([key, ask]) => [key, peer.side(ask)] as const)
      const runs = Math.max(2, Math.round(this.options.repeat * share))
      const boundary = () => this.options.signal.throwIfAborted()
      return interleave({ ours: ours(), ...Object.fromEntries(theirs) }, { runs, warmUp, boundary })
    })
  }

  /** The worker's measurements in the order given, for a figure. */
  rivals(measured: Measured): { against: string; samples: Samples }[] {
    return Object.entries(measured).flatMap(([against, samples]) =>
      against === 'ours' ? [] : [{ against: `${against}; ${this.peer?.name ?? ''}`, samples }],
    )
  }
}
