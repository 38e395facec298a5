/**
 * Which device computes. Only the CPU's gradients are compared with a reference on every build; any other device must
 * pass the gradient self-test (`device-check.ts`) in this process before it may train.
 */
import { BadInput } from '../../../shared/bad-input.ts'
import type { DeviceName } from '../../../shared/stage.ts'

export interface Device {
  readonly name: Exclude<DeviceName, 'auto'>
  /** Why this device, in one sentence for people. */
  readonly reason: string
  /** Threads of one operator on the CPU. */
  readonly threads: number
}

/** Execution providers that the onnxruntime-node package brings, by platform. */
const shipped: Readonly<Record<string, readonly Device['name'][]>> = {
  linux: ['cpu', 'webgpu', 'cuda'],
  win32: ['cpu', 'webgpu', 'dml', 'cuda'],
  darwin: ['cpu', 'webgpu', 'coreml'],
}

/** More than any machine gains from; starting many thousands would hang it. */
const mostThreads = 256

/** Resolves `auto` and refuses a device that this platform's onnxruntime cannot have. */
export function resolveDevice(name: DeviceName, threads: number): Device {
  if (!Number.isInteger(threads) || threads < 1 || threads > mostThreads)
    throw new BadInput('--threads', `must be a whole number from 1 to ${mostThreads}, not ${threads}`)
  if (name === 'auto')
    return { name: 'cpu', reason: 'auto: the CPU, whose gradients every build compares with a reference', threads }
  if (!(shipped[process.platform] ?? ['cpu']).includes(name))
    throw new BadInput('--device', `${name} is not available on ${process.platform}; use cpu`)
  return { name, reason: 'asked for by --device', threads }
}
