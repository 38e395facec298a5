/** The stage that only asks whether a device computes here, and computes rightly. It opens no base and reads no rows. */
import type { DeviceJob, StageSummary } from '../../../shared/stage.ts'
import { requireSoundGradients } from '../nn/device-check.ts'
import { resolveDevice } from '../runtime/device.ts'
import { peakRssBytes } from '../runtime/memory.ts'
import type { StageRun } from './stage-run.ts'

/** @throws BadInput naming the device when it is not here, cannot compute, or computes wrongly */
export async function runDeviceCheck(
  { device: name, threads }: DeviceJob,
  run: StageRun,
): Promise<StageSummary & { status: 'finished' }> {
  const device = resolveDevice(name, threads)
  await requireSoundGradients(device)
  run.report({ type: 'ready', device: device.name, deviceReason: device.reason, threads: device.threads })
  return {
    stage: 'device',
    status: 'finished',
    updates: 0,
    total: 0,
    learnedSha256: {},
    initialSha256: {},
    baseSha256: '',
    trainableParameters: 0,
    seconds: {},
    peakRssBytes: peakRssBytes(),
  }
}
