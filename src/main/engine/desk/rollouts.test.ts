/** Episodes of a policy on the embedded checkpoint: ids, log-probabilities, branches, failures, and what a trainer asks. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defaultDeskRules } from '../../../shared/desk-rules.ts'
import { encodeTrajectories } from '../../rows/encode-trajectories.ts'
import { inducedProcessReward } from '../credit/process-reward.ts'
import { trainedRow } from '../credit/trained-row.ts'
import { Learner } from '../learn/learner.ts'
import { tokenLogProbs } from '../learn/reading.ts'
import { freshRole } from '../learn/role.ts'
import { openStage, turnEndId } from '../learn/stage-context.ts'
import { PhaseClock } from '../learn/stage-run.ts'
import { sftTask } from '../learn/supervised-tasks.ts'
import { shapeFor } from '../nn/batch.ts'
import { PythonRandom } from '../random/python-random.ts'
import { TorchRandom } from '../random/torch-random.ts'
import { branchStarts } from './branch.ts'
import { demonstrate, demonstrations } from './demonstrations.ts'
import { prefixOf, readDeskTasks, readDeskTrajectories } from './desk-rows.ts'
import { DeskRolloutSource } from './desk-source.ts'
import { type DeskTrajectory, trajectoryOf } from './episode.ts'
import { type DeskSampling, deskFrame, playEpisodes, startOf } from './rollouts.ts'
import { summarize } from './summary.ts'
import { deskTasks } from './tasks.ts'

const folder = mkdtempSync(join(tmpdir(), 'recompense-desk-'))
afterAll(() => rmSync(folder, { recursive: true }))
const context = await openStage({
  base: new URL('../../../../resources/models/embedded', import.meta.url).pathname,
  device: 'cpu',
  threads: 1,
  weightCache: folder,
})
const tasks = deskTasks()
  .filter(({ split }) => split === 'validation')
  .slice(0, 4)
const rules = { ...defaultDeskRules, horizon: 4, max_turn_tokens: 24 }
const policy = freshRole(context.base, { rank: 8, alpha: 16, head: 'none', seed: 49 })

/** A few updates on demonstrations: enough of the desk's language that episodes have several turns. */
beforeAll(async () => {
  const train = deskTasks().filter(({ split }) => split === 'train')
  const rows = demonstrations(train, { perTask: 1, seed: 49 }).map((row, line) => ({ line, row }))
  const limits = { promptTokens: 256, completionTokens: 64, contextTokens: 512 }
  const encoded = encodeTrajectories(
    { file: 'demonstrations', tokenizer: context.tokenizer, eosId: turnEndId(context), vocabSize: 1024, limits },
    rows.filter(({ row }) => row.turns.length < 10),
  )
  const learner = new Learner(policy)
  const task = sftTask(context, encoded, 6)
  const losses: number[] = []
  for (let update = 0; update < 35; update++) {
    learner.clear()
    losses.push((await task.accumulate(learner, encoded.slice(6 * update, 6 * update + 6))).loss)
    learner.step({ learningRate: 4e-3, weightDecay: 0, maxNorm: 1 })
  }
  expect(losses.at(-1)!).toBeLessThan(losses[0]! / 3)
}, 120_000)

function sampling(seed: number, own: Partial<DeskSampling> = {}): DeskSampling {
  const random = new TorchRandom(seed)
  const uniform = () => random.uniform01()
  return { context, rules, policy, score: null, choice: { kind: 'sample', temperature: 1, uniform }, uniform, ...own }
}
const starts = tasks.flatMap((task) => [0, 1, 2].map((i) => startOf(task, `${task.id}/${i}`)))

/** Log-probabilities of the agent's tokens, computed from the whole row at once. */
async function forced(rows: readonly DeskTrajectory[]): Promise<number[][]> {
  const trained = rows.map((row) => trainedRow(row, 'rollouts'))
  const read = await tokenLogProbs(context.model, policy, trained, shapeFor(trained, trained.length))
  return trained.map(({ actionMask }, i) => read[i]!.filter((_, t) => actionMask[t]))
}
const recorded = ({ turns }: DeskTrajectory) => turns.flatMap(({ logprobs = [] }) => logprobs)

describe('rollouts', () => {
  let rows: DeskTrajectory[] = []
  beforeAll(async () => {
    rows = await playEpisodes(sampling(7), starts)
  })

  it('record at sampling what the model says of the row they leave', async () => {
    const teacher = await forced(rows)
    rows.forEach((row, i) => {
      const own = recorded(row)
      expect(own.length).toBe(teacher[i]!.length)
      own.forEach((value, t) => {
        expect(Math.abs(value - teacher[i]![t]!)).toBeLessThan(1e-4)
      })
    })
  })
  it('hold the conversation as the chat template renders it', () => {
    for (const row of rows.filter(({ end }) => end !== 'token_limit')) {
      const text = row.turns.map(({ token_ids }) => context.tokenizer.decode(token_ids!)).join('')
      const messages = row.turns.map(({ role, text }) => ({ role, content: text! }))
      const whole = context.tokenizer.renderChat(messages, { addGenerationPrompt: row.turns.at(-1)!.role === 'tool' })
      // The template breaks the line after the last marker, which nobody reads any more.
      expect(whole.trimEnd()).toBe(text.trimEnd())
    }
    expect(Math.max(...rows.map(({ turns }) => turns.length))).toBeGreaterThan(4)
  })
  it('are the same for the same draws, and others for others', async () => {
    expect(await playEpisodes(sampling(7), starts)).toEqual(rows)
    expect(await playEpisodes(sampling(8), starts)).not.toEqual(rows)
  })
  it('end where the rules say, and are counted so', () => {
    const { ends, graded, invalid_share } = summarize(rows)
    expect(graded).toBe(rows.length)
    expect(Object.values(ends).reduce((sum, value) => sum + value, 0)).toBe(rows.length)
    expect(invalid_share).toBeGreaterThanOrEqual(0)
    for (const { end, truncated, terminated } of rows) {
      expect(truncated).toBe(end === 'horizon' || end === 'token_limit')
      expect(terminated).toBe(end === 'answered')
    }
  })
  it('that the context cuts keep no observation that was never read', async () => {
    const frame = deskFrame(context)
    const [longest] = tasks.map(({ prompt }) => frame.request(prompt).length).sort((a, b) => b - a)
    const tight = { ...rules, max_turn_tokens: 40, max_context_tokens: longest! + 20 }
    for (const row of await playEpisodes(sampling(7, { rules: tight }), starts)) {
      const tokens = row.turns.reduce((sum, { token_ids }) => sum + token_ids!.length, 0)
      expect(tokens).toBeLessThanOrEqual(tight.max_context_tokens)
      if (row.end === 'token_limit') expect(row.turns.at(-1)!.role).toBe('assistant')
    }
  })
})

it('a context without room for a turn is refused with its row', async () => {
  const none = { ...rules, max_context_tokens: 20 }
  await expect(playEpisodes(sampling(7, { rules: none }), starts)).rejects.toThrow(
    /max_context_tokens: 20 leave no room for a turn after \d+ tokens \(row DK/,
  )
})

/** Episodes that check: written, not sampled, so that they are long whatever the policy knows. */
function written(count: number): DeskTrajectory[] {
  const random = new PythonRandom(3)
  const frame = deskFrame(context)
  return Array.from({ length: count }, (_, i) => {
    const episode = demonstrate(tasks[0]!, 'thorough', random)
    const turns = episode.turns.map((turn) => {
      const token_ids = [...context.tokenizer.encode(turn.agent.text), context.tokenizer.eosId!]
      return { ...turn, agent: { ...turn.agent, token_ids, logprobs: token_ids.map(() => -1) } }
    })
    return trajectoryOf({
      id: `w${i}`,
      group: tasks[0]!.id,
      episode: { ...episode, turns },
      prices: rules,
      score: null,
      promptIds: frame.request(tasks[0]!.prompt),
      observationIds: frame.observation,
    })
  })
}

describe('branches', () => {
  const file = join(folder, 'written.jsonl')
  const originals = written(2)
  writeFileSync(file, originals.map((row) => `${JSON.stringify(row)}\n`).join(''))
  const options = { branches: 3, horizon: 12, file }

  it('go on from every prefix, one that rollouts share once, with its very tokens', async () => {
    const read = await readDeskTrajectories(file)
    const from = branchStarts([...read, ...read], { ...options, at: 'every' })
    const prefixes = new Set(
      originals.flatMap(({ turns }) =>
        turns.flatMap(({ role }, k) =>
          role === 'tool' ? [JSON.stringify(turns.slice(0, k).map(({ token_ids }) => token_ids))] : [],
        ),
      ),
    )
    expect(from.length).toBe(3 * prefixes.size)
    const short = from.filter(({ branch }) => branch.turns === 2)
    const grown = await playEpisodes(sampling(11, { rules: { ...rules, horizon: 12 } }), short)
    grown.forEach((row, i) => {
      const origin = originals.find(({ id }) => id === short[i]!.branch.of)!
      expect(row.group).toBe(origin.group)
      expect(row.turns.slice(0, 5).map(({ token_ids }) => token_ids)).toEqual(
        origin.turns.slice(0, 5).map(({ token_ids }) => token_ids),
      )
      expect(row.turns.slice(1, 4).map(({ state_key, logprobs }) => ({ state_key, logprobs }))).toEqual(
        origin.turns.slice(1, 4).map(({ state_key, logprobs }) => ({ state_key, logprobs })),
      )
    })
    // What was sampled after the prefix is what the model says of the whole row.
    const teacher = await forced(grown)
    grown.forEach((row, i) => {
      const given = row.turns.slice(0, 5).flatMap(({ role, token_ids = [] }) => (role === 'assistant' ? token_ids : []))
      recorded(row).forEach((value, t) => {
        if (t >= given.length) expect(Math.abs(value - teacher[i]![t]!)).toBeLessThan(1e-4)
      })
    })
    // Two rollouts that share only the request have no process reward; their branches have.
    const outcomes = (rows: readonly DeskTrajectory[]) =>
      rows.map((row, i) => ({ ids: trainedRow(row, 'rollouts').completionIds, outcome: i }))
    expect(inducedProcessReward(outcomes(grown)).informativeFraction).toBeGreaterThan(0)
  })
  it('refuse a prefix that does not play as recorded, and one that is not there', async () => {
    const [first] = await readDeskTrajectories(file)
    expect(() => prefixOf(first!, 40, 12, file)).toThrow('agent turns, not 40')
    const turns = first!.trajectory.turns.map((turn) =>
      turn.role === 'tool' ? { ...turn, text: 'The sound is off.' } : turn,
    )
    const changed = { ...first!, trajectory: { ...first!.trajectory, turns } }
    expect(() => prefixOf(changed, 2, 12, file)).toThrow('is not what the desk replies')
  })
  it('refuse rollouts from elsewhere, and tasks whose fault is no candidate', async () => {
    const other = join(folder, 'other.jsonl')
    writeFileSync(other, '{"id":"a","reward":1,"turns":[{"role":"user","text":"x"}]}\n')
    await expect(readDeskTrajectories(other)).rejects.toThrow('is no rollout of the desk')
    const { fault: _, ...stray } = tasks[0]!
    writeFileSync(other, `${JSON.stringify({ ...stray, candidates: ['cable'], fault: 'sound' })}\n`)
    await expect(readDeskTasks(other)).rejects.toThrow('fault: is not among the candidates')
    writeFileSync(other, tasks.map((task) => `${JSON.stringify(task)}\n`).join(''))
    expect(await readDeskTasks(other)).toEqual(tasks)
  })
})

describe('failures of the environment', () => {
  it('are drawn from the seed, leave no reward, and count in no mean', async () => {
    const broken = { ...rules, failure_rate: 1 }
    const rows = await playEpisodes(sampling(7, { rules: broken }), starts)
    const again = await playEpisodes(sampling(7, { rules: broken }), starts)
    expect(again).toEqual(rows)
    const failed = rows.filter(({ end }) => end === 'environment_failure')
    expect(failed.length).toBeGreaterThan(0)
    for (const row of failed) {
      expect([row.reward, row.success, row.terminated, row.truncated]).toEqual([null, null, false, false])
      expect(row.turns.some((turn) => 'reward' in turn)).toBe(false)
    }
    expect(rows.some(({ turns }) => turns.some(({ event }) => event === 'check'))).toBe(false)
    expect(summarize(rows).graded).toBe(rows.length - failed.length)
  })
})

describe('a trainer’s source', () => {
  const source = new DeskRolloutSource({ context, tasks, rules, judge: null, clock: new PhaseClock() })
  it('gives groups in the order of the tasks, one that comes twice included', async () => {
    const random = new TorchRandom(3)
    const rows = await source.collect(policy, [tasks[1]!, tasks[0]!, tasks[1]!], 2, () => random.uniform01())
    expect(rows.map(({ task }) => task.id)).toEqual([1, 1, 0, 0, 1, 1].map((k) => tasks[k]!.id))
    expect(new Set(rows.map(({ group }) => group)).size).toBe(3)
    expect(new Set(rows.map(({ id }) => id)).size).toBe(6)
    for (const row of rows) {
      const { promptIds, completionIds } = trainedRow(row, 'rollouts')
      expect(promptIds.length).toBeLessThanOrEqual(source.longest.prompt)
      expect(completionIds.length).toBeLessThanOrEqual(source.longest.completion)
    }
  })
  it('is another source under other rules', () => {
    const other = new DeskRolloutSource({
      context,
      tasks,
      rules: { ...rules, check_cost: 1 },
      judge: null,
      clock: new PhaseClock(),
    })
    expect(other.identity).not.toEqual(source.identity)
  })
})
