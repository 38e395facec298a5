/** Turn-by-turn generation against full forwards: what was recorded at sampling is what the model says of the whole row. */
import { expect, test } from 'vitest'
import { openBase } from '../checkpoint/hf-folder.ts'
import { emptyState } from '../checkpoint/learned-state.ts'
import { loraSpecs } from '../checkpoint/lora-layout.ts'
import { TorchRandom } from '../random/torch-random.ts'
import { resolveDevice } from '../runtime/device.ts'
import { layOutBatch, shapeFor } from './batch.ts'
import type { Generated } from './generate.ts'
import { generateTurns } from './generate-turns.ts'
import { Model } from './model.ts'
import { logProbObjective } from './objectives.ts'
import { FrozenWeights } from './weights.ts'

const base = openBase(new URL('../../../../test/golden/checkpoints/base_f32', import.meta.url).pathname)
const modelOf = (float: 'float32' | 'float64', profile: 'fused' | 'portable') =>
  new Model(new FrozenWeights(base), { device: resolveDevice('cpu', 2), float, profile })

function policy() {
  const state = emptyState(loraSpecs(base.config, 8, { head: false }))
  for (let i = 0; i < state.data.length; i++) state.data[i] = Math.sin(i * 12.9898) * 0.1
  return { state, layout: { specs: state.specs, loraScale: 2 } }
}
const prompts = [3, 17, 9, 30, 12].map((n, r) => Array.from({ length: n }, (_, i) => (i * 37 + r * 11) % 500))

/** Replies of one to seven tokens, made from the turn they reply to; every third turn of a row goes unanswered. */
function replies() {
  const rows = prompts.map((prompt) => ({
    ids: [...prompt],
    actions: prompt.map(() => false),
    turns: [] as Generated[],
  }))
  const logprobs = prompts.map((): number[] => [])
  return {
    rows,
    logprobs,
    reply: (row: number, turn: Generated, room: number) => {
      const { ids, actions, turns } = rows[row]!
      turns.push(turn)
      ids.push(...turn.tokenIds)
      actions.push(...turn.tokenIds.map(() => true))
      logprobs[row]!.push(...turn.logprobs)
      const observation = Array.from({ length: 1 + (turn.tokenIds[0]! % 7) }, (_, i) => (i * 91 + row) % 500)
      if (turns.length === 3 || observation.length >= room) return null
      ids.push(...observation)
      actions.push(...observation.map(() => false))
      return observation
    },
  }
}

test.each([
  { float: 'float32' as const, profile: 'fused' as const, tolerance: 1e-4 },
  { float: 'float32' as const, profile: 'portable' as const, tolerance: 1e-4 },
  { float: 'float64' as const, profile: 'portable' as const, tolerance: 1e-6 },
])('$float $profile: log-probabilities at sampling are the teacher-forced ones, over all turns', async (path) => {
  const model = modelOf(path.float, path.profile)
  const { state, layout } = policy()
  const random = new TorchRandom(7)
  const { rows, logprobs, reply } = replies()
  await generateTurns(model, layout, state, {
    prompts,
    maxTurnTokens: 20,
    contextTokens: 120,
    // About one token in ten ends a turn, so that turns have different lengths.
    eosIds: Array.from({ length: 50 }, (_, i) => i * 10),
    choice: { kind: 'sample', temperature: 1, uniform: () => random.uniform01() },
    batch: 3,
    promptColumns: 32,
    reply,
  })
  expect(rows.every(({ turns }) => turns.length === 3)).toBe(true)
  expect(new Set(rows.flatMap(({ turns }) => turns.map((turn) => turn.tokenIds.length))).size).toBeGreaterThan(4)
  const scored = rows.map(({ ids, actions }, i) => {
    const prompt = prompts[i]!.length
    return { promptIds: ids.slice(0, prompt), completionIds: ids.slice(prompt), actionMask: actions.slice(prompt) }
  })
  const batch = layOutBatch(scored, shapeFor(scored, scored.length))
  const { log_probs } = await model.evaluate('log-probs', logProbObjective, layout, state, batch)
  scored.forEach((row, b) => {
    const forced = row.completionIds.flatMap((_, t) =>
      row.actionMask[t] ? [log_probs![b * batch.shape.response + t]!] : [],
    )
    expect(forced.length).toBe(logprobs[b]!.length)
    forced.forEach((value, t) => {
      expect(Math.abs(value - logprobs[b]![t]!)).toBeLessThan(path.tolerance)
    })
  })
})

test('greedy rows do not depend on the rows beside them', async () => {
  const model = modelOf('float32', 'fused')
  const { state, layout } = policy()
  const shared = { maxTurnTokens: 9, contextTokens: 120, eosIds: [7], choice: { kind: 'greedy' as const } }
  const together = replies()
  await generateTurns(model, layout, state, { ...shared, prompts, batch: 5, promptColumns: 32, reply: together.reply })
  for (const [i, prompt] of prompts.entries()) {
    const alone = replies()
    await generateTurns(model, layout, state, {
      ...shared,
      prompts: [prompt],
      batch: 1,
      promptColumns: 40,
      reply: (_, turn, room) => alone.reply(i, turn, room),
    })
    expect(alone.rows[i]!.ids).toEqual(together.rows[i]!.ids)
  }
})

test('a turn is cut at its own limit and at the row’s', async () => {
  const { state, layout } = policy()
  const turns: { row: number; tokens: number; finish: string; room: number }[] = []
  await generateTurns(modelOf('float32', 'fused'), layout, state, {
    prompts: [prompts[0]!, prompts[3]!],
    maxTurnTokens: 6,
    contextTokens: 33,
    eosIds: [],
    choice: { kind: 'greedy' },
    batch: 2,
    promptColumns: 32,
    reply: (row, turn, room) => {
      turns.push({ row, tokens: turn.tokenIds.length, finish: turn.finishReason, room })
      return room > 4 && turns.length < 3 ? [1, 2, 3] : null
    },
  })
  expect(turns).toEqual([
    { row: 1, tokens: 3, finish: 'length', room: 0 },
    { row: 0, tokens: 6, finish: 'length', room: 24 },
    { row: 0, tokens: 6, finish: 'length', room: 15 },
  ])
})
