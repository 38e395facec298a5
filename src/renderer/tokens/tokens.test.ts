import { describe, expect, it } from 'vitest'
import type { RolloutView } from '../../shared/ipc.ts'
import { cellColour, cellText, colourScale } from './colour-scale.ts'
import { exactShare, quantityOf, rewardSum, tokenNumbers, visibleToken } from './token-numbers.ts'

const view: RolloutView = {
  rollout: {
    rollout_id: 'r',
    prompt_id: 'p',
    iteration: 3,
    prompt_ids: [1, 2],
    response_ids: [5, 6],
    text: 'a b',
    finish_reason: 'eos',
    tokenization_valid: true,
    old_token_logprobs: [-0.5, -2],
    reference_token_logprobs: [-0.25, -1],
    values: [0.5, 1],
    token_rewards: [-0.005, 1.98],
    advantages: [1, -1],
    returns: [1.9, 2],
    learned_reward_score: 2,
    reward_parts: { judge: 2, kl: -0.025, truncation: 0 },
    sampled_actor_reference_logratio: -0.625,
  },
  prompt_tokens: ['<s>', 'x'],
  response_tokens: ['a', ' b'],
  rubric: null,
  audits: [{ update: 5, token_shares: [0.25, -0.05], conservation_error: 1e-8, rollouts: 4 }],
  observations: [
    {
      update: 5,
      rollout_id: 'r',
      current_token_logprobs: [-0.5, -2],
      ratios: [1, 1],
      current_values: [0.5, 1],
      actor_loss: 0,
      critic_loss: 0,
      old_logprob_max_difference: 0,
    },
  ],
}

describe('numbers of a token', () => {
  const tokens = tokenNumbers(view)

  it('stand beside its text', () => {
    expect(tokens[1]).toMatchObject({ id: 6, text: ' b', logprob: -2, reference: -1, advantage: -1, return: 2 })
    expect(quantityOf(tokens[1]!, 'log-ratio to reference', null)).toBe(-1)
    expect(quantityOf(tokens[1]!, 'ratio', 5)).toBe(1)
    expect(quantityOf(tokens[1]!, 'ratio', 6)).toBeNaN()
  })

  it('have the exact share of an audited update, also while another is looked at', () => {
    expect(quantityOf(tokens[0]!, exactShare, 5)).toBe(0.25)
    expect(quantityOf(tokens[1]!, exactShare, 6)).toBe(-0.05)
    const [unaudited] = tokenNumbers({ ...view, audits: [] })
    expect(quantityOf(unaudited!, exactShare, 5)).toBeNaN()
  })

  it('add up to the parts of the reward', () => {
    expect(rewardSum(view).tokens).toBeCloseTo(1.975, 12)
    expect(rewardSum(view).difference).toBeCloseTo(0, 12)
  })

  it('have a text that can be seen', () => {
    expect([' b', '\n\n', '', '\u200b', 'é'].map(visibleToken)).toEqual(['·b', '⏎⏎', '∅', '�', 'é'])
  })
})

describe('colours', () => {
  it('are white at zero and symmetric around it', () => {
    const scale = colourScale('advantage', [-0.5, 2, Number.NaN])
    expect([scale.low, scale.high, scale.at(0), scale.at(2), scale.at(-0.5)]).toEqual([-2, 2, 0, 1, -0.25])
    expect(cellColour(0)).toContain(' 0%')
    expect(cellColour(scale.at(Number.NaN))).toBe('transparent')
  })

  it('put the ratio’s white at one', () => {
    const scale = colourScale('ratio', [0.5, 1.5])
    expect(scale.at(1)).toBe(0)
    expect(scale.at(0.5)).toBe(-1)
    expect(scale.at(2)).toBeCloseTo(1, 12)
    expect(scale.at(0)).toBeNaN()
  })

  it('deepen log-probs from zero', () => {
    const scale = colourScale('log-prob', [-4, -1])
    expect([scale.at(0), scale.at(-4), scale.at(-1)]).toEqual([0, -1, -0.25])
    expect(colourScale('log-prob', []).at(0)).toBe(0)
  })

  it('have numbers beside them', () => {
    expect([0, -1.234, 0.00012, Number.NaN].map((value) => cellText(value))).toEqual(['0.00', '−1.23', '1.2e−4', '—'])
    expect(cellText(1.0004, 'ratio')).toBe('1.000')
    expect([0.0213, -0.0004, -0.0006].map((value) => cellText(value, 'share', 0.4))).toEqual([
      '0.021',
      '0.000',
      '−0.001',
    ])
    expect(cellText(0.00012, 'share', 0.0004)).toBe('0.000120')
  })
})
