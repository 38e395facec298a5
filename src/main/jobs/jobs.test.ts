import { spawn } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runFiles, type StageEvent, type SupervisedJob } from '../../shared/stage.ts'
import type { FakePlan } from './fake-stage.ts'
import { ForkStageHost } from './fork-stage-host.ts'
import { memoryKillCount, stageEnd } from './stage-end.ts'
import { grantsFor, programPlaces } from './stage-permissions.ts'

const entry = fileURLToPath(new URL('./fake-stage.ts', import.meta.url))
let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'jobs, with space-'))
  for (const name of ['base', 'run/inputs', 'corpus/labels', 'cache']) mkdirSync(join(root, name), { recursive: true })
  writeFileSync(join(root, 'base', 'config.json'), '{}')
  writeFileSync(join(root, 'store.sqlite'), 'store')
  writeFileSync(join(root, 'run/inputs/train.jsonl'), [1, 2, 3, 4].map((n) => `{"id":"r${n}"}\n`).join(''))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const plan = (content: FakePlan) => writeFileSync(join(root, 'base', 'fake.json'), JSON.stringify(content))

function job(changes: Partial<SupervisedJob> = {}): SupervisedJob {
  return {
    stage: 'sft',
    runId: 'run-x',
    base: join(root, 'base'),
    runDir: join(root, 'run'),
    device: 'cpu',
    threads: 1,
    train: join(root, 'run/inputs/train.jsonl'),
    shuffle: true,
    config: {
      learning_rate: 1,
      accumulation_examples: 1,
      epochs: 3,
      warmup_ratio: 0.1,
      minimum_lr_ratio: 0.1,
      weight_decay: 0,
      gradient_clip: 1,
      seed: 1,
      lora_rank: 8,
      lora_alpha: 16,
      max_prompt_tokens: 256,
      max_new_tokens: 64,
      max_context_tokens: 320,
    },
    ...changes,
  }
}

const places = () => ({
  program: programPlaces(),
  cache: join(root, 'cache'),
  forbidden: [join(root, 'store.sqlite'), join(root, 'corpus')],
})

function host() {
  const events: StageEvent[] = []
  const made = new ForkStageHost({ entry, places: places() })
  made.onEvent((event) => events.push(event))
  return { host: made, events }
}

describe('a stage process', () => {
  it('reports its work and finishes', async () => {
    const { host: stage, events } = host()
    const end = await stage.start(job())
    expect(end).toMatchObject({ kind: 'finished', summary: { updates: 12, total: 12 } })
    const commits = events.filter((event) => event.type === 'committed').map(({ done }) => done)
    // Of commits that arrive together the latest alone is told.
    expect(commits).toEqual([...new Set(commits)].sort((a, b) => a - b))
    expect(commits.at(-1)).toBe(12)
    expect(stage.pid).toBe(null)
    expect(() => stage.start(job())).toThrow('one stage only')
  })

  it('cannot reach the store, gold labels, held-out rows or probes, nor start processes or workers', async () => {
    const secrets = ['store.sqlite', 'corpus/labels/gold.jsonl', 'corpus/heldout.jsonl', 'corpus/probes.jsonl']
    for (const name of secrets) writeFileSync(join(root, name), 'secret')
    plan({ probe: secrets.map((name) => join(root, name)) })
    process.env.RECOMPENSE_HOME = root
    const { host: stage, events } = host()
    await stage.start(job()).finally(() => {
      delete process.env.RECOMPENSE_HOME
    })
    const ready = events.find((event) => event.type === 'ready')
    const outcomes = JSON.parse(ready?.deviceReason ?? '') as Record<string, string>
    for (const name of secrets) {
      expect(outcomes[`read ${join(root, name)}`]).toBe('ERR_ACCESS_DENIED')
      expect(outcomes[`write ${join(root, name)}`]).toBe('ERR_ACCESS_DENIED')
      expect(readFileSync(join(root, name), 'utf8')).toBe('secret')
    }
    expect(outcomes).toMatchObject({ spawn: 'ERR_ACCESS_DENIED', worker: 'ERR_ACCESS_DENIED', environment: 'absent' })
  })

  it('stops at the next update when asked, and another process finishes byte for byte', async () => {
    plan({ delayMs: 20 })
    const { host: stage, events } = host()
    stage.onEvent((event) => {
      if (event.type === 'committed' && event.done >= 3) stage.stop()
    })
    const end = await stage.start(job())
    expect(end).toMatchObject({ kind: 'interrupted', summary: { total: 12 } })
    expect(events.at(-1)?.type).toBe('finished')
    expect(await host().host.start(job())).toMatchObject({ kind: 'finished' })
    cpSync(join(root, 'run/inputs'), join(root, 'other/inputs'), { recursive: true })
    const continuous = job({ runDir: join(root, 'other'), train: join(root, 'other/inputs/train.jsonl') })
    await host().host.start(continuous)
    for (const name of [runFiles.state, runFiles.journal]) {
      expect(readFileSync(join(root, 'other', name))).toEqual(readFileSync(join(root, 'run', name)))
    }
  })

  it('pauses and goes on', async () => {
    plan({ delayMs: 10 })
    const { host: stage, events } = host()
    let once = true
    stage.onEvent((event) => {
      if (event.type === 'committed' && event.done >= 2 && once) stage.pause()
      if (event.type === 'paused' && once) {
        once = false
        setTimeout(() => stage.resume(), 50)
      }
    })
    expect(await stage.start(job())).toMatchObject({ kind: 'finished' })
    expect(events.some((event) => event.type === 'paused')).toBe(true)
  })

  it('is interrupted when killed by us or by another', async () => {
    plan({ delayMs: 30 })
    for (const reason of ['by request', 'SIGKILL']) {
      const { host: stage } = host()
      stage.onEvent((event) => {
        if (event.type !== 'committed') return
        if (reason === 'SIGKILL') process.kill(stage.pid!, 'SIGKILL')
        else stage.kill()
      })
      const expected = { kind: 'interrupted', summary: null, reason: expect.stringContaining(reason) }
      expect(await stage.start(job())).toMatchObject(expected)
    }
  })

  it.each([
    ['crash', { kind: 'failed', cause: 'crash', message: expect.stringContaining('RangeError: everything is wrong') }],
    ['silent-exit', { kind: 'failed', cause: 'crash', message: expect.stringContaining('without reporting') }],
    ['out-of-memory', { kind: 'failed', cause: 'out-of-memory' }],
    ['failure', { kind: 'failed', cause: 'failure' }],
    ['bad-input', { kind: 'bad-input', problem: 'prompt is too long', where: 'row r7' }],
  ] as const)('tells a %s apart', async (fault, expected) => {
    plan({ stage: 'sft', fault, after: 1 })
    expect(await host().host.start(job())).toMatchObject(expected)
  })

  it('ends when the workbench dies', async () => {
    plan({ delayMs: 50 })
    const script = `import { ForkStageHost } from ${JSON.stringify(fileURLToPath(new URL('./fork-stage-host.ts', import.meta.url)))}
      const host = new ForkStageHost({ entry: ${JSON.stringify(entry)}, places: ${JSON.stringify(places())} })
      host.onEvent((e) => { if (e.type === 'committed') console.log(host.pid) })
      void host.start(${JSON.stringify(job())})`
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script])
    const pid = await new Promise<number>((found) =>
      parent.stdout.once('data', (text) => found(Number.parseInt(String(text), 10))),
    )
    parent.kill('SIGKILL')
    await expect.poll(() => alive(pid), { timeout: 3000 }).toBe(false)
  })
})

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

describe('grants', () => {
  it('refuse a base folder that would open the home', () => {
    expect(() => grantsFor(job({ base: root }), places())).toThrow('must not see')
    symlinkSync(root, join(tmpdir(), 'link-to-home'))
    try {
      expect(() => grantsFor(job({ base: join(tmpdir(), 'link-to-home') }), places())).toThrow('must not see')
    } finally {
      rmSync(join(tmpdir(), 'link-to-home'))
    }
  })

  it('refuse a missing folder and follow a model folder of links', () => {
    expect(() => grantsFor(job({ base: join(root, 'none') }), places())).toThrow('does not exist')
    mkdirSync(join(root, 'blobs'))
    writeFileSync(join(root, 'blobs/ab'), 'x')
    appendFileSync(join(root, 'blobs/cd'), 'x')
    symlinkSync(join(root, 'blobs/ab'), join(root, 'base/model.safetensors'))
    const { read } = grantsFor(job(), places())
    expect(read).toContain(join(root, 'blobs/ab'))
    expect(read).not.toContain(join(root, 'blobs'))
  })

  it('refuse a * in a path: Node would take it for a wildcard', () => {
    mkdirSync(join(root, 'h*'))
    writeFileSync(join(root, 'h*', 'config.json'), '{}')
    expect(() => grantsFor(job({ base: join(root, 'h*') }), places())).toThrow('wildcard')
  })

  it.each(['base/rows.jsonl', 'base/sub/deep', 'run/inputs/train-2.jsonl', 'cache/w.f32'])(
    'refuse a link at %s that leads into what a stage must not see',
    (place) => {
      writeFileSync(join(root, 'corpus/labels/gold.json'), '[]')
      mkdirSync(dirname(join(root, place)), { recursive: true })
      symlinkSync(
        place.endsWith('deep') ? join(root, 'corpus') : join(root, 'corpus/labels/gold.json'),
        join(root, place),
      )
      expect(() => grantsFor(job(), places())).toThrow('must not see')
    },
  )

  it('refuse a folder inside a forbidden place, but not a run inside the studies', () => {
    expect(() => grantsFor(job({ initAdapter: join(root, 'corpus/labels') }), places())).toThrow('must not see')
    const adapter = join(root, 'studies/study-1/runs/run-1/adapter')
    mkdirSync(adapter, { recursive: true })
    const withStudies = { ...places(), forbidden: [...places().forbidden, join(root, 'studies')] }
    expect(grantsFor(job({ initAdapter: adapter }), withStudies).read).toContain(adapter)
    mkdirSync(join(root, 'studies/study-1/corpus'))
    expect(() => grantsFor(job({ initAdapter: join(root, 'studies/study-1/corpus') }), withStudies)).toThrow(
      'must not see',
    )
  })
})

describe('the end of a process', () => {
  const facts = { code: null, signal: null, said: null, killed: false, stderr: '', memoryKills: 0 } as const

  it('is out of memory when the kernel or the runtime says so', () => {
    expect(stageEnd({ ...facts, signal: 'SIGKILL', memoryKills: 1 })).toMatchObject({ cause: 'out-of-memory' })
    const heap = 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory'
    expect(stageEnd({ ...facts, signal: 'SIGABRT', stderr: heap })).toMatchObject({ cause: 'out-of-memory' })
    expect(memoryKillCount()).toBeGreaterThanOrEqual(0)
  })

  it('is unsupported for an illegal instruction and a crash for the rest', () => {
    expect(stageEnd({ ...facts, signal: 'SIGILL' })).toMatchObject({ cause: 'unsupported' })
    expect(stageEnd({ ...facts, signal: 'SIGSEGV' })).toMatchObject({ cause: 'crash' })
    expect(stageEnd({ ...facts, code: 3, stderr: 'TypeError: x\n at y' })).toMatchObject({
      cause: 'crash',
      message: 'the stage process ended with exit code 3: TypeError: x',
    })
    expect(stageEnd({ ...facts, signal: 'SIGTERM' })).toMatchObject({ kind: 'interrupted' })
  })
})
