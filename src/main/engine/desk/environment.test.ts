/** The desk by hand-computed episodes, and what must hold of every episode. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type DeskPrices, defaultDeskRules, longestHorizon } from '../../../shared/desk-rules.ts'
import { refusals, response } from '../study/grammar.ts'
import { openingState, stateAfter, stateKey, step, suspects } from './environment.ts'
import { type Episode, openEpisode, takeTurn, trajectoryOf } from './episode.ts'
import { areas, checkText, gates, invalidText, observations, readAction } from './grammar.ts'
import { deskReward } from './rewards.ts'
import type { DeskTask } from './tasks.ts'

const task: DeskTask = {
  id: 'T',
  family: 'F',
  split: 'train',
  prompt: 'One is not fixed: printer, screen.',
  candidates: ['queue', 'cable'],
  fault: 'queue',
}
const says = (text: string) => ({ text, finish: 'eos' as const, decodable: true })
const cut = { text: 'A check of', finish: 'length' as const, decodable: true }

function played(texts: readonly string[], { horizon = longestHorizon, of = task } = {}): Episode {
  return texts.reduce((episode, text) => takeTurn(episode, says(text), horizon, false), openEpisode(of))
}
const right = response(0, 1, false)
const prices: DeskPrices = { ...defaultDeskRules, check_cost: 0.25, invalid_cost: 0.5, truncation_penalty: -1 }
const rewardOf = (episode: Episode) =>
  deskReward(
    episode.turns.map(({ event }) => event),
    episode.state.end!,
    prices,
    null,
  )

describe('an episode that finds the fault', () => {
  const episode = played([
    checkText('queue'),
    checkText('wifi'),
    'Ask the printer.',
    checkText('queue'),
    checkText('queue'),
    right,
  ])
  it('replies to each turn', () => {
    expect(episode.turns.map(({ observation }) => observation)).toEqual([
      'The queue is closed before a check of the Wi-Fi.',
      'The Wi-Fi is on.',
      'This is not a check.',
      'The queue shows as paused.',
      'The queue shows as paused.',
      null,
    ])
  })
  it('names states by what is known: locked, invalid and repeated turns leave them as they are', () => {
    expect(episode.turns.map(({ stateKey }) => stateKey)).toEqual([
      'desk:T|',
      'desk:T|',
      'desk:T|wifi=fine',
      'desk:T|wifi=fine',
      'desk:T|queue=fault,wifi=fine',
      'desk:T|queue=fault,wifi=fine',
    ])
  })
  it('is paid turn by turn', () => {
    expect(episode.state.end).toBe('answered')
    expect(rewardOf(episode)).toEqual({
      total: 1 - 4 * 0.25 - 0.5,
      parts: { rubric: 1, reward_model: 0, checks: -1, invalid: -0.5, truncation: 0 },
      turns: [-0.25, -0.25, -0.5, -0.25, -0.25, 1],
    })
  })
  it('is written down as a trajectory whose turns add up', () => {
    const row = trajectoryOf({ id: 'r', group: 'g', episode, prices, score: null })
    expect(row).toMatchObject({
      reward: -0.5,
      terminated: true,
      truncated: false,
      end: 'answered',
      success: true,
      task: { id: 'T', fault: 'queue' },
    })
    expect(row.turns.map(({ role }) => role)).toEqual([
      'user',
      ...Array(5).fill(['assistant', 'tool']).flat(),
      'assistant',
    ])
    expect(row.turns.flatMap(({ event }) => event ?? [])).toEqual([
      'locked',
      'check',
      'invalid',
      'check',
      'check',
      'answer',
    ])
    expect('final_state_key' in row).toBe(false)
  })
})

describe('how an episode ends', () => {
  it.each([
    ['the right answer', right, true],
    ['the right answer, tentative and polite', response(0, 0, true), true],
    ['the right answer with certainty that nothing supports', response(0, 2, false), false],
    ['an answer for another area', response(1, 1, false), false],
    ['a refusal', refusals[0]!, false],
  ])('by %s', (_, text, success) => {
    const episode = played([text])
    expect(episode.state.end).toBe('answered')
    expect(rewardOf(episode)!.total).toBe(success ? 1 : 0)
    expect(trajectoryOf({ id: 'r', group: 'g', episode, prices, score: null }).success).toBe(success)
  })
  it('at the horizon: truncated, with the reply and the state it led to, paid with its penalty', () => {
    const episode = played([checkText('cable'), checkText('wifi')], { horizon: 2 })
    const row = trajectoryOf({ id: 'r', group: 'g', episode, prices, score: null })
    expect(row).toMatchObject({
      end: 'horizon',
      terminated: false,
      truncated: true,
      success: false,
      final_state_key: 'desk:T|cable=fine,wifi=fine',
      reward: -0.25 - 0.25 - 1,
    })
    expect(row.turns.at(-1)).toMatchObject({ role: 'tool', text: 'The Wi-Fi is on.' })
    expect(row.turns.at(-2)!.reward).toBe(-1.25)
  })
  it('by an answer in the last turn of the horizon: terminal, not truncated', () => {
    expect(played([checkText('cable'), right], { horizon: 2 }).state.end).toBe('answered')
  })
  it('by the token limit: truncated, no reply, no cost of a check that was never made', () => {
    const { state, event, observation } = step(openingState(task), cut, longestHorizon, true)
    expect([state.end, event.kind, observation]).toEqual(['token_limit', 'cut', null])
    expect(deskReward([event], 'token_limit', prices, null)!.turns).toEqual([-1])
  })
  it('by a failure of the environment: neither terminal nor truncated, and no number that could be read as a reward', () => {
    const first = takeTurn(openEpisode(task), says(checkText('cable')), longestHorizon, false)
    const episode = takeTurn(first, says(checkText('wifi')), longestHorizon, true)
    const row = trajectoryOf({ id: 'r', group: 'g', episode, prices, score: 3 })
    expect(row).toMatchObject({
      end: 'environment_failure',
      terminated: false,
      truncated: false,
      reward: null,
      reward_parts: null,
      success: null,
    })
    expect(row.turns.some((turn) => 'reward' in turn)).toBe(false)
  })
  it('only checks break', () => {
    expect(step(openingState(task), says(right), longestHorizon, true).state.end).toBe('answered')
    expect(step(openingState(task), says('nonsense'), longestHorizon, true).state.end).toBe(null)
  })
  it('once: nothing follows', () => {
    expect(() => step(played([right]).state, says(right), longestHorizon, false)).toThrow('has ended: answered')
  })
  it('an id that no text stands for makes a turn invalid, whatever the rest reads like', () => {
    const { event } = step(openingState(task), { ...says(right), decodable: false }, longestHorizon, false)
    expect(event.kind).toBe('invalid')
  })
})

describe('rewards by a model', () => {
  const events = played([checkText('cable'), right]).turns.map(({ event }) => event)
  const both: DeskPrices = { ...prices, rubric_weight: 0.5, reward_model_weight: 2 }
  it('stand at the last turn beside the rubric, each under its name', () => {
    expect(deskReward(events, 'answered', both, 0.75)).toEqual({
      total: -0.25 + 0.5 + 1.5,
      parts: { rubric: 0.5, reward_model: 1.5, checks: -0.25, invalid: 0, truncation: 0 },
      turns: [-0.25, 2],
    })
  })
  it('are not read as 0 where they are missing', () => {
    expect(() => deskReward(events, 'answered', both, null)).toThrow('no score of the reward model')
  })
})

describe('of every episode', () => {
  const texts = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...areas).map(checkText) },
    { weight: 1, arbitrary: fc.constantFrom(right, response(2, 0, true), refusals[1]!) },
    { weight: 1, arbitrary: fc.string() },
  )
  const tasks = fc.record({
    candidates: fc.shuffledSubarray([...areas], { minLength: 1 }),
    at: fc.nat(),
  })
  const episodes = fc
    .record({
      of: tasks,
      texts: fc.array(texts, { minLength: 1, maxLength: 20 }),
      horizon: fc.integer({ min: 1, max: 12 }),
    })
    .map(({ of: { candidates, at }, texts, horizon }) => {
      let episode = openEpisode({ ...task, candidates, fault: candidates[at % candidates.length]! })
      for (const text of texts) if (episode.state.end === null) episode = takeTurn(episode, says(text), horizon, false)
      return { episode, horizon }
    })

  it('a prefix played again gives the same state', () => {
    fc.assert(
      fc.property(episodes, fc.nat(), ({ episode, horizon }, cutAt) => {
        const count = cutAt % (episode.turns.length + 1)
        const prefix = episode.turns.slice(0, count)
        const again = stateAfter(
          episode.state.task,
          prefix.map(({ agent }) => agent),
          horizon,
        )
        expect(stateKey(again)).toBe(episode.turns[count]?.stateKey ?? stateKey(episode.state))
        expect(again.turns).toBe(count)
        if (count === episode.turns.length) expect(again).toEqual(episode.state)
      }),
    )
  })
  it('the horizon is never passed, and ends what it reaches', () => {
    fc.assert(
      fc.property(episodes, ({ episode: { state, turns }, horizon }) => {
        expect(turns.length).toBeLessThanOrEqual(horizon)
        if (turns.length === horizon) expect(state.end).not.toBe(null)
      }),
    )
  })
  it('the rewards of the turns sum to the whole, and so do the parts', () => {
    fc.assert(
      fc.property(episodes, ({ episode }) => {
        const reward = deskReward(
          episode.turns.map(({ event }) => event),
          episode.state.end ?? 'token_limit',
          prices,
          null,
        )!
        const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
        expect(sum(reward.turns)).toBeCloseTo(reward.total, 12)
        expect(sum(Object.values(reward.parts))).toBeCloseTo(reward.total, 12)
      }),
    )
  })
  it('what is known depends on which checks were made, not on their order', () => {
    const order = fc.shuffledSubarray([...areas], { minLength: 6 })
    fc.assert(
      fc.property(order, order, (one, other) => {
        // Twice through, so that every gate is open the second time.
        const twice = (list: readonly (typeof areas)[number][]) =>
          played([...list, ...list].map(checkText), { horizon: 99 })
        expect(stateKey(twice(one).state)).toBe(stateKey(twice(other).state))
        expect(suspects(twice(one).state)).toEqual(['queue'])
      }),
    )
  })
  it('every observation is one of the known sentences, and none is an action', () => {
    fc.assert(
      fc.property(episodes, ({ episode }) => {
        for (const { observation } of episode.turns)
          if (observation !== null) expect(observations).toContain(observation)
      }),
    )
    for (const text of observations) expect(readAction(text).kind).toBe('invalid')
    expect(observations).toContain(invalidText)
    expect(Object.keys(gates)).toHaveLength(3)
  })
})
