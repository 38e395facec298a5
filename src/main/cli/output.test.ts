/** What reaches the terminal: JSON, tables, progress, error lines, suggestions. */
import { CommanderError } from 'commander'
import { describe, expect, it } from 'vitest'
import { BadInput } from '../../shared/bad-input.ts'
import { closest } from '../../shared/closest.ts'
import type { StudyOutcome } from '../workbench/study-run.ts'
import type { CommandContext } from './context.ts'
import { failureOf, Interrupted } from './failure.ts'
import { bytes, duration } from './figures.ts'
import { defaultHome, homeFolder } from './home.ts'
import { toJson } from './json.ts'
import { progressOn } from './progress.ts'
import { studyOutcome } from './study-outcome.ts'
import { styleFor } from './style.ts'
import { facts, table } from './table.ts'

describe('toJson', () => {
  it('writes typed arrays as lists', () => {
    expect(toJson({ a: new Float32Array([1, 0.5]), b: null })).toBe('{"a":[1,0.5],"b":null}')
  })

  it('names the place of a number that JSON cannot hold, where JSON.stringify would write null', () => {
    expect(() => toJson({ history: [{ loss: 1 }, { loss: Number.NaN }] })).toThrow('history[1].loss is NaN')
    expect(() => toJson([new Float32Array([Number.POSITIVE_INFINITY])])).toThrow('[0][0] is Infinity')
  })
})

describe('failureOf', () => {
  const usage = (message: string) => failureOf(new CommanderError(1, 'commander.any', message))

  it('gives bad input 2, failed work 1, an interruption 130, help 0', () => {
    expect(failureOf(new BadInput('a.jsonl', 'is not JSON', 'line 4'))).toEqual({
      exitCode: 2,
      line: 'error: a.jsonl: is not JSON (line 4)',
    })
    expect(failureOf(new Error('broke\nat once'))).toEqual({ exitCode: 1, line: 'error: broke at once' })
    expect(failureOf(new Interrupted()).exitCode).toBe(130)
    expect(failureOf(new CommanderError(0, 'commander.help', '(outputHelp)'))).toEqual({ exitCode: 0 })
  })

  it.each([
    ["error: unknown option '--jsn'\n(Did you mean --json?)", 'error: --jsn: unknown flag (did you mean --json?)'],
    ["error: unknown option '--zz'", 'error: --zz: unknown flag'],
    ["error: option '-o, --out <dir>' argument missing", 'error: --out: needs a value'],
    ["error: required option '--model <dir>' not specified", 'error: --model: is required'],
    [
      "error: option '--device <name>' argument 'tpu' is invalid. Allowed choices are auto, cpu.",
      'error: --device: tpu is not allowed; Allowed choices are auto, cpu.',
    ],
  ])('rewords %j', (message, line) => {
    expect(usage(message)).toEqual({ exitCode: 2, line })
  })
})

describe('a study', () => {
  it.each([
    ['finished', 0, 0],
    ['interrupted', 130, 1],
  ] as const)('that is %s gives %i', (status, exitCode, said) => {
    const notes: string[] = []
    const context = { note: (line: string) => notes.push(line) } as unknown as CommandContext
    const study = { study_id: 'study-20261129-1700-abcd', status } as StudyOutcome
    expect(studyOutcome(context, study)).toMatchObject({ exitCode, json: study })
    expect(notes.filter((line) => line.includes('study resume study-20261129-1700-abcd'))).toHaveLength(said)
  })
})

describe('table', () => {
  it('aligns by what is seen, not by colour codes', () => {
    const style = styleFor({ isTTY: true }, { TERM: 'xterm' })
    const text = table(
      [
        { title: 'name', cell: (row: readonly [string, string]) => style.good(row[0]) },
        { title: 'loss', cell: (row) => row[1], align: 'right' },
      ],
      [
        ['sft', '0.5'],
        ['reward', '12.25'],
      ],
    )
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes are what is removed
    expect(text.replace(/\u001b\[\d+m/g, '').split('\n')).toEqual([
      'name     loss',
      '──────  ─────',
      'sft       0.5',
      'reward  12.25',
    ])
    expect(
      facts([
        ['a', '1'],
        ['long', '2'],
      ]),
    ).toBe('a     1\nlong  2')
  })

  it('uses colour only on a terminal that wants it', () => {
    expect(styleFor({ isTTY: true }, { NO_COLOR: '1' }).bad('x')).toBe('x')
    expect(styleFor({ isTTY: true }, { TERM: 'dumb' }).bad('x')).toBe('x')
    expect(styleFor({}, {}).bad('x')).toBe('x')
    expect(styleFor({ isTTY: true }, {}).bad('x')).not.toBe('x')
  })
})

describe('progress', () => {
  function screen(isTTY: boolean) {
    const written: string[] = []
    return { isTTY, columns: 80, written, write: (text: string) => written.push(text) }
  }

  it('writes plain lines rarely where there is no terminal', () => {
    const output = screen(false)
    let now = 0
    const progress = progressOn(output, () => now)
    for (let done = 0; done <= 20; done += 1, now += 1000) progress.report({ phase: 'sft', done, total: 20 })
    expect(output.written).toEqual(['sft 0/20\n', 'sft 10/20, 1.0/s, 10.0 s left\n', 'sft 20/20, 1.0/s\n'])
  })

  it('draws one line on a terminal, and notes above it', () => {
    const output = screen(true)
    let now = 0
    const progress = progressOn(output, () => now)
    progress.report({ phase: 'ppo', done: 40, total: 100 })
    now = 2000
    progress.report({ phase: 'ppo', done: 50, total: 100 })
    progress.note('device cpu')
    progress.close()
    expect(output.written.at(-1)).toBe('\r\u001b[K')
    expect(output.written).toContain('device cpu\n')
    expect(output.written[1]).toContain('███████████████░░░░░░░░░░░░░░░ ppo 50/100 · 5.0/s · 10.0 s left')
  })

  it('takes the rate and time left that the work measured, and shows none that it does not know', () => {
    const output = screen(false)
    let now = 0
    const progress = progressOn(output, () => now)
    progress.report({ phase: 'ppo', done: 1, total: 4, rate: null, secondsLeft: null })
    now = 20_000
    progress.report({ phase: 'ppo', done: 2, total: 4, rate: 0.5, secondsLeft: 65 })
    expect(output.written).toEqual(['ppo 1/4\n', 'ppo 2/4, 2.0 s each, 1 min 5 s left\n'])
  })
})

it('reads figures as people do', () => {
  expect([bytes(999), bytes(2_816_144), bytes(46_000_000_000)]).toEqual(['999 B', '2.8 MB', '46.0 GB'])
  expect([duration(0.05), duration(59), duration(3661)]).toEqual(['50 ms', '59.0 s', '1 h 1 min'])
})

it('suggests only what is near', () => {
  expect(closest('learning_rte', ['learning_rate', 'seed'])).toBe('learning_rate')
  expect(closest('zzz', ['learning_rate', 'weight_decay'])).toBeUndefined()
})

it('finds the data folder of each system, and lets the flag win over the environment', () => {
  expect(defaultHome('linux', {}, '/home/a')).toBe('/home/a/.config/Recompense')
  expect(defaultHome('linux', { XDG_CONFIG_HOME: '/c' }, '/home/a')).toBe('/c/Recompense')
  expect(defaultHome('darwin', {}, '/Users/a')).toBe('/Users/a/Library/Application Support/Recompense')
  expect(homeFolder('/x', { RECOMPENSE_HOME: '/y' })).toBe('/x')
  expect(homeFolder(undefined, { RECOMPENSE_HOME: '/y' })).toBe('/y')
})
