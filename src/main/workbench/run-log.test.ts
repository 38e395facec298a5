/** The log of a run: what stands in it, over sessions and kills, and that it stays short. */
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LogLine } from '../../shared/ipc.ts'
import { type FakeBench, fakeBench, quickConfig } from './fake-bench.ts'
import { JobControl } from './job-control.ts'
import { memoryOf } from './memory-of-run.ts'
import { runDir } from './places.ts'
import { mostLines, RunLog, readRunLog, thinned } from './run-log.ts'
import { logsOf, showRun, showRunLog } from './show-run.ts'
import { runStudy } from './study-run.ts'
import type { Workbench } from './workbench.ts'

describe('the file', () => {
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'log, with space-'))
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))
  const now = () => new Date('2026-11-29T19:00:00.000Z')

  it('goes on where it stood, past a line that a kill left torn', () => {
    new RunLog(dir, now).add('session', 'begins')
    appendFileSync(join(dir, 'log.jsonl'), '{"at":"2026-11-29T19:00:01.0')
    const log = new RunLog(dir, now)
    expect(log.last?.text).toBe('begins')
    log.add('end', 'over')
    expect(readRunLog(dir)).toEqual({
      lines: [
        { at: '2026-11-29T19:00:00.000Z', kind: 'session', text: 'begins' },
        { at: '2026-11-29T19:00:00.000Z', kind: 'end', text: 'over' },
      ],
      left_out: 0,
    })
  })

  it('stays short however much is said, and says how much gave way', () => {
    const log = new RunLog(dir, now)
    log.add('session', 'begins')
    for (let update = 1; update <= 3 * mostLines; update++) log.add('commit', `${update}`)
    const { lines, left_out } = readRunLog(dir)
    expect(lines.length).toBeLessThanOrEqual(mostLines)
    expect(lines.length + left_out).toBe(3 * mostLines + 1)
    expect(lines[0]?.text).toBe('begins')
    expect(lines.at(-1)?.text).toBe(String(3 * mostLines))
    const commits = lines.slice(1).map(({ text }) => Number(text))
    expect(commits).toEqual([...commits].sort((a, b) => a - b))
    // Of the whole run, not of its end alone.
    expect(commits[1]).toBeLessThan(300)
    expect(readdirSync(dir)).toEqual(['log.jsonl'])
    log.add('stderr', 'x'.repeat(100_000))
    expect(readRunLog(dir).lines.at(-1)?.text).toHaveLength(2000)
  })

  it('keeps what matters when a stage floods its standard error', () => {
    const line = (kind: LogLine['kind'], text: string): LogLine => ({ at: '', kind, text })
    const flood = Array.from({ length: 2 * mostLines }, (_, index) => line('stderr', `${index}`))
    const kept = thinned([line('session', 'begins'), ...flood, line('failure', 'failed')])
    expect(kept[0]?.text).toBe('begins')
    expect(kept.at(-1)?.text).toBe('failed')
    expect(kept.at(-2)?.text).toBe(String(2 * mostLines - 1))
    expect(kept.length).toBeLessThan(mostLines / 2)
  })

  it('that is none, or cannot be written, is no fault of the run', () => {
    expect(readRunLog(join(dir, 'none'))).toEqual({ lines: [], left_out: 0 })
    writeFileSync(join(dir, 'log.jsonl'), '\u0000\u0001 {"at":"yesterday","kind":"end","text":"x"}\n[]\nnull\n')
    expect(readRunLog(dir)).toEqual({ lines: [], left_out: 0 })
    const nowhere = new RunLog(join(dir, 'none'), now)
    nowhere.add('end', 'over')
    expect(nowhere.last?.text).toBe('over')
  })
})

describe('of a study', () => {
  let fake: FakeBench
  let bench: Workbench
  beforeEach(() => {
    fake = fakeBench()
    bench = fake.open()
  })
  afterEach(() => {
    bench.close()
    rmSync(fake.root, { recursive: true, force: true })
  })
  const request = () => ({ model: fake.model, config: quickConfig, device: 'cpu' as const, threads: 1 })
  const text = (lines: readonly LogLine[]) => lines.map((line) => `${line.kind}: ${line.text}`)

  it('tells device, phases, commits, what was asked and when it took effect, over both sessions and a restart', async () => {
    fake.plan({ delayMs: 40 })
    const control = new JobControl()
    let paused = false
    const first = await runStudy(bench, request(), {
      control,
      onProgress: ({ stage, done }) => {
        if (stage !== 'reward') return
        if (done >= 2 && !paused) {
          paused = true
          control.pause()
          setTimeout(() => control.resume(), 200)
        }
        if (done >= 5) control.stop()
      },
    })
    expect(first.status).toBe('interrupted')
    fake.plan({})
    bench.close()
    bench = fake.open()
    expect((await runStudy(bench, request())).status).toBe('finished')
    bench.close()
    bench = fake.open()

    const reward = logsOf(bench, first.study_id).find(({ stage }) => stage === 'reward')!
    const lines = text(reward.lines)
    expect(lines[0]).toMatch(/^session: reward begins: code 0\.0\.0-test, device cpu, 1 thread$/)
    expect(lines[1]).toMatch(/^session: computes on cpu, 1 thread \(asked for\)$/)
    const inOrder = (...order: readonly string[]) => {
      let at = -1
      for (const part of order) {
        const found = lines.findIndex((line, index) => index > at && line.startsWith(part))
        expect(found, `${part} after line ${at} of\n${lines.join('\n')}`).toBeGreaterThan(at)
        at = found
      }
    }
    inOrder('request: asked to go on', 'state: goes on')
    // A stop may be asked for before the stage says that it goes on.
    inOrder(
      'phase: training',
      'commit: ',
      'request: pause asked for',
      'state: paused',
      'request: asked to go on',
      'request: stop asked for',
      'end: interrupted: stopped at an update boundary',
      'session: reward begins: code 0.0.0-test, device cpu, 1 thread; goes on after update',
      'commit: update 20 of 20 on disk · loss 0.0500',
      'end: finished: 20 of 20 updates, worked',
    )
    const times = reward.lines.map((line) => line.at)
    expect(times).toEqual([...times].sort())
    expect(showRunLog(bench, reward.run_id)).toEqual({ lines: reward.lines, left_out: 0 })
    expect(logsOf(bench, reward.run_id)).toEqual([reward])
    expect(() => logsOf(bench, 'study-20200101-0000-aaaa')).toThrow('is neither a study nor a run')
  })

  it('keeps what a stage wrote to its standard error, and how it failed', async () => {
    fake.plan({ stage: 'sft', fault: 'crash', after: 2 })
    const error = await runStudy(bench, request()).catch((thrown: Error) => thrown)
    expect(error).toMatchObject({ name: 'StageFailed' })
    const study = bench.store.db.prepare('SELECT study_id FROM studies').pluck().get() as string
    const lines = text(logsOf(bench, study)[0]!.lines)
    expect(lines).toContain('stderr: RangeError: everything is wrong')
    expect(lines.at(-1)).toMatch(/^failure: failed \(crash\): .*SIGSEGV.*everything is wrong/)
  })

  it('says of a session that it was cut off', async () => {
    // Long enough for the end to come before the stage's own, on a busy machine too.
    fake.plan({ delayMs: 1000, slow: 'sft' })
    const control = new JobControl()
    const { study_id } = await runStudy(bench, request(), {
      control,
      onProgress: ({ stage, done }) => {
        if (stage === 'sft' && done >= 2) control.kill()
      },
    })
    const { run_id, lines } = logsOf(bench, study_id)[0]!
    expect(text(lines).at(-1)).toMatch(/^end: interrupted: it was ended by request/)
    // As if the program itself had been killed: no end was written.
    const file = join(runDir(bench.home, showRun(bench, run_id).study_id as never, run_id as never), 'log.jsonl')
    writeFileSync(file, readFileSync(file, 'utf8').trimEnd().split('\n').slice(0, -1).join('\n'))
    fake.plan({})
    expect((await runStudy(bench, request())).status).toBe('finished')
    expect(text(logsOf(bench, run_id)[0]!.lines)).toContain(
      'note: the session before ended without a word: its program was killed, or the machine stopped',
    )
  })

  it('and its memory stand by the update they were taken after', async () => {
    const { study_id } = await runStudy(bench, request())
    const [sft, , ppo] = logsOf(bench, study_id)
    expect(showRun(bench, sft!.run_id).memory.map(({ update }) => update)).toEqual([1, 2, 3, 4])
    // Two updates an iteration, one commit.
    expect(showRun(bench, ppo!.run_id).memory.map(({ update }) => update)).toEqual([2, 4, 6, 8])
  })
})

it('memory of a run passes over lines that are torn or of older versions', () => {
  const dir = mkdtempSync(join(tmpdir(), 'memory-'))
  expect(memoryOf(dir)).toEqual([])
  const lines = [
    '{"train":0.1}',
    '{"update":1,"rss_bytes":100,"seconds":{}}',
    '{"update":3,"rss_bytes":300,"seconds":{}}',
    '{"update":3,"rss_bytes":3',
    '{"update":2,"rss_bytes":200,"seconds":{}}',
    '{"update":null,"rss_bytes":5,"seconds":{}}',
    '{"update":3,"rss_bytes":301,"seconds":{}}',
  ]
  writeFileSync(join(dir, 'timings.jsonl'), lines.join('\n'))
  expect(memoryOf(dir)).toEqual([
    { update: 1, rss_bytes: 100 },
    { update: 2, rss_bytes: 200 },
    { update: 3, rss_bytes: 301 },
  ])
  rmSync(dir, { recursive: true })
})
