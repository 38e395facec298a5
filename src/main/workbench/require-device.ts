/**
 * Refuses a device before anything is begun on it. The CPU is taken as it is; every other device is asked in a process of
 * its own, as stages are: a driver that crashes must not take the workbench along.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { BadInput } from '../../shared/bad-input.ts'
import type { DeviceName } from '../../shared/stage.ts'
import { resolveDevice } from '../engine/runtime/device.ts'
import type { JobControl } from './job-control.ts'
import { cacheDir } from './places.ts'
import { placesOf } from './run-stage.ts'
import { StageInterrupted } from './stage-ends.ts'
import type { Workbench } from './workbench.ts'

export interface DeviceRequest {
  /** Folder of the base model that the stages will open. */
  readonly model: string
  readonly device: DeviceName
  readonly threads: number
}

/** Throws `BadInput` for a device that is not here, cannot compute or computes wrongly, and for too many threads. */
export async function requireDevice(
  bench: Workbench,
  { model, device, threads }: DeviceRequest,
  control?: JobControl,
): Promise<void> {
  if (resolveDevice(device, threads).name === 'cpu') return
  const cache = cacheDir(bench.home)
  mkdirSync(cache, { recursive: true })
  const runDir = mkdtempSync(join(cache, 'device-'))
  const host = bench.stageHost(placesOf(bench))
  try {
    const ended = host.start({ stage: 'device', runId: 'device', base: model, runDir, device, threads })
    control?.attach(host)
    const end = await ended
    switch (end.kind) {
      case 'finished':
        return
      case 'bad-input':
        throw new BadInput(end.subject, end.problem, end.where)
      case 'interrupted':
        throw new StageInterrupted(end.reason)
      case 'failed':
        throw new BadInput('--device', `${device} cannot compute here (${end.message}); use --device cpu`)
    }
  } finally {
    control?.attach(null)
    rmSync(runDir, { recursive: true, force: true })
  }
}
