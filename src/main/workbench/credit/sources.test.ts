import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { TrajectoryNote } from '../../../shared/credit.ts'
import { readTrajectories } from '../../rows/read-trajectories.ts'
import { openWorkbench, type Workbench } from '../workbench.ts'
import { exportTrajectoriesOf } from './export-trajectories.ts'
import { forgetTrajectories, keepTrajectories, keptFile, keptTrajectories, unkeptFile } from './kept-trajectories.ts'
import { recordedRunId, recordRun, rollout } from './recorded-run.ts'
import { creditSources, forgetSource, listTrajectories, viewTrajectories } from './sources.ts'
import { trajectoriesOfRun } from './trajectories-of-run.ts'

let home: string
let bench: Workbench
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'credit-'))
  bench = openWorkbench({ home })
})
afterEach(() => {
  bench.close()
  rmSync(home, { recursive: true, force: true })
})

const twoIterations = [
  [rollout({ rollout_id: 'a', prompt_id: 'p' }), rollout({ rollout_id: 'b', prompt_id: 'q' })],
  [rollout({ rollout_id: 'c', prompt_id: 'p', finish_reason: 'length' })],
]

describe('recorded rollouts as trajectories', () => {
  it('keep every recorded number and the reward that the response was given at its end', () => {
    recordRun(bench, [
      [
        rollout({
          rollout_id: 'a',
          prompt_id: 'p',
          finish_reason: 'length',
          reward_parts: { judge: 0.75, kl: -0.5, truncation: -1 },
        }),
      ],
    ])
    const [row] = trajectoriesOfRun(bench, recordedRunId)
    expect(row).toMatchObject({ id: 'a', reward: -0.25, terminated: false, truncated: true, bootstrap_value: 0 })
    expect(row?.turns[0]).toEqual({ role: 'user', token_ids: [1, 2] })
    expect(row?.turns[1]).toMatchObject({
      token_ids: [5, 6],
      logprobs: [-1, -2],
      ref_logprobs: [-1.5, -2.5],
      values: [0.25, 0.5],
      rewards: [-0.01, 0.99],
      advantages: [0.7, 0.49],
      returns: [0.95, 0.99],
    })
  })

  it('share a group by prompt, or by prompt and iteration where a prompt is sampled several times at once', () => {
    recordRun(bench, twoIterations)
    expect(trajectoriesOfRun(bench, recordedRunId).map(({ group }) => group)).toEqual(['p', 'q', 'p'])
    bench.close()
    rmSync(home, { recursive: true })
    bench = openWorkbench({ home })
    recordRun(bench, [
      ['a', 'b'].map((id) => rollout({ rollout_id: id, prompt_id: 'p' })),
      ['c', 'd'].map((id) => rollout({ rollout_id: id, prompt_id: 'p' })),
    ])
    expect(new Set(trajectoriesOfRun(bench, recordedRunId).map(({ group }) => group)).size).toBe(2)
  })

  it('are narrowed by iteration, and refused by name where there is none', () => {
    recordRun(bench, twoIterations)
    expect(trajectoriesOfRun(bench, recordedRunId, [2, 2]).map(({ id }) => id)).toEqual(['c'])
    expect(() => trajectoriesOfRun(bench, recordedRunId, [3, 9])).toThrow('recorded no rollout in iterations 3 to 9')
    expect(() => trajectoriesOfRun(bench, 'run-x')).toThrow('run-x: is neither a run nor a study')
  })

  it('are written as a file that the trajectory reader takes back unchanged', async () => {
    recordRun(bench, twoIterations)
    const file = join(home, 'out.jsonl')
    expect(exportTrajectoriesOf(bench, recordedRunId, file)).toMatchObject({ rows: 3, groups: 2 })
    const read = (await readTrajectories(file)).map(({ row }) => row)
    expect(read).toEqual(trajectoriesOfRun(bench, recordedRunId))
  })
})

const note: TrajectoryNote = {
  name: 'mine.jsonl',
  format: 'trajectories',
  kept_at: '2026-01-01T00:00:00.000Z',
  rows: 1,
  groups: 1,
  fields_found: [],
  fields_absent: [],
  tokenizer: null,
  remarks: [],
}
const line = '{"id":"x","reward":1,"turns":[{"role":"user","token_ids":[1]},{"role":"assistant","token_ids":[2,3]}]}\n'

function keep(content: string, told = note) {
  const file = unkeptFile(home)
  writeFileSync(file, content)
  return keepTrajectories(home, file, told)
}

describe('kept trajectory files', () => {
  it('are found by the hash of their rows, once, with the note they came with', () => {
    const { sha256 } = keep(line)
    expect(keep(line, { ...note, name: 'the same again' })).toMatchObject({ sha256, name: 'mine.jsonl' })
    expect(keptTrajectories(home)).toEqual([{ sha256, ...note }])
    expect(readFileSync(keptFile(home, sha256), 'utf8')).toBe(line)
    expect(readdirSync(join(home, 'trajectories'))).toEqual([sha256])
  })

  it('are refused once changed, and can be forgotten', () => {
    const { sha256 } = keep(line)
    writeFileSync(join(home, 'trajectories', sha256, 'rows.jsonl'), `${line}${line.replace('"x"', '"y"')}`)
    expect(() => keptFile(home, sha256)).toThrow('changed: its SHA-256 is')
    forgetTrajectories(home, sha256)
    expect(keptTrajectories(home)).toEqual([])
    expect(() => forgetTrajectories(home, '../..')).toThrow('is not a kept trajectory file')
  })
})

describe('sources', () => {
  const ids = async (sha256: string) =>
    (await listTrajectories(bench, { kind: 'file', sha256 })).rows.map(({ id }) => id)

  it('that were read are answered no more once they are forgotten, here or by another process', async () => {
    for (const forget of [
      forgetSource,
      ({ home: folder }: Workbench, hash: string) => forgetTrajectories(folder, hash),
    ]) {
      const { sha256 } = keep(line)
      expect(await ids(sha256)).toEqual(['x'])
      forget(bench, sha256)
      await expect(ids(sha256)).rejects.toThrow(`${sha256}: is not a kept trajectory file`)
      await expect(viewTrajectories(bench, { kind: 'file', sha256 }, ['x'])).rejects.toThrow('is not a kept')
    }
  })

  it('that were read are read again once their file changed, and refused', async () => {
    const { sha256 } = keep(line)
    expect(await ids(sha256)).toEqual(['x'])
    writeFileSync(join(home, 'trajectories', sha256, 'rows.jsonl'), line.replace('"x"', '"longer"'))
    await expect(ids(sha256)).rejects.toThrow('changed: its SHA-256 is')
  })

  it('are the runs that sampled and the files that were kept', () => {
    recordRun(bench, twoIterations)
    const { sha256 } = keep(line)
    const { runs, files } = creditSources(bench)
    expect(runs).toMatchObject([{ run_id: recordedRunId, rollouts: 3, first_iteration: 1, last_iteration: 2 }])
    expect(files.map((file) => file.sha256)).toEqual([sha256])
  })

  it('list their rollouts with the fields that they have, and open them with a text a token', async () => {
    recordRun(bench, twoIterations)
    const source = { kind: 'run', run_id: recordedRunId } as const
    const { rows, fields } = await listTrajectories(bench, source)
    expect(rows[2]).toMatchObject({ id: 'c', truncated: true, turns: 2, actions: 2, tokens: 4, iteration: 2 })
    expect(fields.find(({ name }) => name === 'values')?.rows).toBe(3)
    expect(fields.find(({ name }) => name === 'teacher_logprobs')?.rows).toBe(0)
    const [view] = await viewTrajectories(bench, source, ['b'])
    expect(view?.token_texts).toEqual([
      ['#1', '#2'],
      ['#5', '#6'],
    ])
    await expect(viewTrajectories(bench, source, ['zz'])).rejects.toThrow('holds no such rollout (row zz)')
  })
})
