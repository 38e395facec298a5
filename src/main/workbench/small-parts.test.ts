import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { minimumPreset } from '../../shared/training-config.ts'
import { storeFile } from '../store/open-store.ts'
import { checkRoom, loraParameters } from './disk-space.ts'
import { doctorChecks } from './doctor.ts'
import { defaultThreads } from './processor-cores.ts'
import { ProgressMeter } from './progress-meter.ts'
import { interruptionPoint } from './resume-check.ts'

describe('the progress meter', () => {
  function clocked() {
    let now = 1000
    const meter = new ProgressMeter(() => now)
    const pass = (seconds: number) => {
      now += seconds * 1000
    }
    return { meter, pass }
  }

  it('knows no rate before two units are done, then tells rate and time left', () => {
    const { meter, pass } = clocked()
    meter.report(40)
    expect(meter.pace(100)).toMatchObject({ value: 0.4, rate: null, secondsLeft: null })
    pass(2)
    meter.report(41)
    expect(meter.pace(100).rate).toBe(null)
    pass(2)
    meter.report(42)
    expect(meter.pace(100)).toMatchObject({ rate: 0.5, secondsLeft: 116 })
  })

  it('leaves the time the machine slept out and says how long it was', () => {
    const { meter, pass } = clocked()
    meter.report(0)
    pass(2)
    meter.report(2)
    pass(3600)
    meter.tick()
    pass(2)
    meter.report(4)
    const pace = meter.pace(10)
    expect(pace).toMatchObject({ rate: 1, secondsLeft: 6, suspendedSeconds: 3600 })
    expect(meter.pace(10).suspendedSeconds).toBe(0)
    expect(meter.activeSeconds).toBe(4)
  })

  it('does not count a pause as work, nor run backwards with the clock', () => {
    const { meter, pass } = clocked()
    meter.report(0)
    pass(2)
    meter.report(2)
    meter.pause(true)
    pass(10)
    meter.tick()
    meter.pause(false)
    pass(-5)
    meter.tick()
    pass(2)
    meter.report(4)
    expect(meter.pace(4)).toMatchObject({ value: 1, rate: 1, secondsLeft: 0 })
  })
})

describe('threads', () => {
  it('are the physical cores, where the system tells them', () => {
    const block = (socket: number, core: number) => `processor : 0\nphysical id : ${socket}\ncore id : ${core}\n\n`
    expect(defaultThreads(block(0, 0) + block(0, 1) + block(0, 0) + block(0, 1), 4)).toBe(2)
    expect(defaultThreads('processor : 0\n\n', 4)).toBe(4)
    expect(defaultThreads(null, 64)).toBe(16)
    expect(defaultThreads(block(0, 0) + block(1, 0), 1)).toBe(1)
  })
})

describe('disk space', () => {
  it('is refused with both figures, warned of when tight, and silent when there is plenty', () => {
    expect(() => checkRoom('home', 1e9, 1e9)).toThrow(
      /home: has 1000 MB of disk space left, and the study needs 1269 MB/,
    )
    expect(checkRoom('home', 1e9, 2e9)).toContain('may write up to 1000 MB')
    expect(checkRoom('home', 1e9, 9e9)).toBe(null)
  })

  it('counts the adapters of the reference model', () => {
    const dir = mkdtempSync(join(tmpdir(), 'model-'))
    const config = {
      hidden_size: 896,
      intermediate_size: 4864,
      num_hidden_layers: 24,
      num_attention_heads: 14,
      num_key_value_heads: 2,
    }
    writeFileSync(join(dir, 'config.json'), JSON.stringify(config))
    expect(loraParameters(8, dir)).toBe(4_399_104)
    rmSync(dir, { recursive: true })
  })
})

describe('the point of interruption', () => {
  it('is epoch one, iteration 40, or half of fewer', () => {
    expect(interruptionPoint(minimumPreset, 'sft')).toBe(1)
    expect(interruptionPoint(minimumPreset, 'ppo')).toBe(40)
    expect(interruptionPoint({ ...minimumPreset, rollout_iterations: 6 }, 'ppo')).toBe(3)
    expect(interruptionPoint({ ...minimumPreset, rollout_iterations: 1 }, 'ppo')).toBe(null)
    expect(interruptionPoint({ ...minimumPreset, reward_epochs: 1 }, 'reward')).toBe(null)
  })
})

describe('the doctor', () => {
  it('finds nothing wrong with a fresh home, and a damaged store where there is one', async () => {
    const home = mkdtempSync(join(tmpdir(), 'doctor-'))
    const fresh = await doctorChecks(home, '0.1.0')
    expect(fresh.ok).toBe(true)
    expect(fresh.checks.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['program', 'node', 'devices', 'memory', 'write access', 'disk', 'store']),
    )
    writeFileSync(storeFile(home), 'damaged')
    const bad = await doctorChecks(home, '0.1.0')
    expect(bad.ok).toBe(false)
    expect(bad.checks.at(-1)).toMatchObject({
      name: 'store',
      status: 'failed',
      detail: expect.stringContaining('damaged'),
    })
    rmSync(home, { recursive: true })
    const file = join(tmpdir(), `doctor-file-${process.pid}`)
    writeFileSync(file, '')
    expect((await doctorChecks(file, '0.1.0')).ok).toBe(false)
    rmSync(file)
  })
})
