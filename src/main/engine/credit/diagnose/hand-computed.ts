/** Short trajectories worked out by hand: return, TD residual, GAE and bootstrap must come out as on paper. */
import type { Trajectory, Turn } from '../../../../shared/trajectory.ts'
import { estimate } from '../estimators/estimate.ts'
import { shapedRewards, shapedValues } from '../estimators/potential-shaping.ts'
import { methodNamed } from '../estimators/registry.ts'
import type { GivenSettings } from '../estimators/settings.ts'
import { type Check, short } from './check.ts'

interface HandCase {
  readonly what: string
  readonly method: string
  readonly settings: GivenSettings
  readonly trajectory: Trajectory
  readonly advantages: readonly number[]
}

const prompt: Turn = { role: 'user', token_ids: [0] }
const rollout = (turns: readonly Turn[], more: Partial<Trajectory> = {}): Trajectory => ({
  id: 'by hand',
  group: 'by hand',
  reward: 1,
  terminated: true,
  truncated: false,
  turns: [prompt, ...turns],
  ...more,
})
const said = (values: number[], more: Partial<Turn> = {}): Turn => ({
  role: 'assistant',
  token_ids: values.map((_, t) => t),
  values,
  ...more,
})
const seen = (tokens: number, more: Partial<Turn> = {}): Turn => ({
  role: 'tool',
  token_ids: Array<number>(tokens).fill(9),
  ...more,
})
/** Before each of three steps, and after the last. */
const potentials = [0.25, 0.5, 0.75, 0]
const cut = { terminated: false, truncated: true, bootstrap_value: 2 }

const cases: readonly HandCase[] = [
  {
    what: 'return: rewards 1, 2, 4 at γ 0.5 are 1 + 1 + 1, 2 + 2, 4',
    method: 'reward-to-go',
    settings: { gamma: 0.5 },
    trajectory: rollout([said([0, 0, 0], { rewards: [1, 2, 4] })]),
    advantages: [3, 4, 4],
  },
  {
    what: 'TD residuals: outcome 1 after values 0.5, 0.25, 0.75',
    method: 'td',
    settings: { gamma: 1 },
    trajectory: rollout([said([0.5, 0.25, 0.75])]),
    advantages: [-0.25, 0.5, 0.25],
  },
  {
    what: 'GAE at λ 0.5 of these: 0.25; 0.5 + 0.125; −0.25 + 0.3125',
    method: 'gae',
    settings: { gamma: 1, lambda: 0.5 },
    trajectory: rollout([said([0.5, 0.25, 0.75])]),
    advantages: [0.0625, 0.625, 0.25],
  },
  {
    what: 'the same shaped with Φ 0.25, 0.5, 0.75 and a critic less Φ: no advantage moves',
    method: 'gae',
    settings: { gamma: 1, lambda: 0.5 },
    trajectory: rollout([
      said(shapedValues([0.5, 0.25, 0.75], potentials), { rewards: shapedRewards([0, 0, 1], potentials, 1) }),
    ]),
    advantages: [0.0625, 0.625, 0.25],
  },
  {
    what: 'bootstrap: GAE of the same values without shaping, cut in a state of value 2',
    method: 'gae',
    settings: { gamma: 1, lambda: 0.5 },
    trajectory: rollout([said([0.5, 0.25, 0.75])], cut),
    advantages: [0.5625, 1.625, 2.25],
  },
  {
    what: 'a terminated rollout does not bootstrap, whatever value is recorded',
    method: 'td',
    settings: { gamma: 1 },
    trajectory: rollout([said([0.5])], { bootstrap_value: 9 }),
    advantages: [0.5],
  },
  {
    what: 'an observation of two tokens takes no step, its reward belongs to the action before it',
    method: 'gae-skip-observation',
    settings: { gamma: 0.5, lambda: 1 },
    trajectory: rollout([said([0.5]), seen(2, { rewards: [0.25, 0.25] }), said([0.25, 0.75], { rewards: [0, 1] })]),
    advantages: [0.25, 0.25, 0.25],
  },
  {
    what: 'turns as steps: 0.25, 0.5 + 0.125, −0.25 + 0.3125 for every token of the turn',
    method: 'gae-turn',
    settings: { gamma: 1, lambda: 0.5 },
    trajectory: rollout([said([0.5, 7]), seen(1), said([0.25]), seen(3), said([0.75, 7])]),
    advantages: [0.0625, 0.0625, 0.625, 0.25, 0.25],
  },
]

export const handComputed: Check = () => {
  const errors = cases.map(({ method, settings, trajectory, advantages }) => {
    const { rollouts } = estimate(methodNamed(method, 'method'), [trajectory], settings, 'by hand')
    const found = rollouts[0]!.credit.advantages
    if (found.length !== advantages.length) return Number.MAX_VALUE
    return advantages.reduce((most, value, t) => Math.max(most, Math.abs(value - found[t]!)), 0)
  })
  const figure = Math.max(...errors)
  const wrong = cases.filter((_, i) => errors[i]! > 1e-12).map(({ what }) => what)
  return {
    id: 'hand-computed',
    status: wrong.length === 0 ? 'ok' : 'failed',
    figure,
    detail:
      wrong.length === 0
        ? `${cases.length} short trajectories (return, TD, GAE, bootstrap, turns, observations, shaping) come out as by hand; largest error ${short(figure)}`
        : `not as by hand: ${wrong.join('; ')}`,
    data: { cases: cases.map(({ what }, i) => ({ what, error: errors[i]! })) },
  }
}
