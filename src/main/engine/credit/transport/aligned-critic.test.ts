/** The linear critic: its gradient against finite differences, what it converges to, and the folder it is saved as. */
import { expect, test } from 'vitest'
import { checkpoints, scratchFolder } from '../../checkpoint/checkpoint-fixtures.ts'
import { openBase } from '../../checkpoint/hf-folder.ts'
import { prefixValues } from '../../learn/reading.ts'
import { freshRole, roleFromPeft, saveRole } from '../../learn/role.ts'
import { controlled } from '../../learn/strategies/comppo-credit.ts'
import { shapeFor } from '../../nn/batch.ts'
import { Model } from '../../nn/model.ts'
import { FrozenWeights } from '../../nn/weights.ts'
import { TorchRandom } from '../../random/torch-random.ts'
import { resolveDevice } from '../../runtime/device.ts'
import { AlignedCritic } from './aligned-critic.ts'
import { readTransport } from './transport-reading.ts'

const targets = [
  { states: Float32Array.of(1, 2, -1, 0.5, 0, 3), returns: [1, -2, 0.5] },
  { states: Float32Array.of(0.25, -1), returns: [2] },
]
const step = { learningRate: 0.05, weightDecay: 0, maxNorm: 1e9 }

test('the gradient is what moving one parameter changes', () => {
  const critic = new AlignedCritic(2, 0.5)
  const { data } = critic.learner.role.state
  data.set([0.3, -0.2, 0.1])
  critic.gradient(targets)
  const gradient = critic.learner.part.data.slice()
  for (const k of [0, 1, 2]) {
    const at = (s: number) => {
      data[k]! += s
      const loss = critic.gradient(targets)
      data[k]! -= s
      return loss
    }
    expect(Math.abs((at(1e-3) - at(-1e-3)) / 2e-3 - gradient[k]!)).toBeLessThan(1e-3)
  }
})

test('learns returns that are linear in the states', () => {
  const critic = new AlignedCritic(2, 0.5)
  const linear = targets.map(({ states }) => ({
    states,
    returns: Array.from({ length: states.length / 2 }, (_, t) => 2 * states[2 * t]! - states[2 * t + 1]! + 0.5),
  }))
  const first = critic.gradient(linear)
  for (let k = 0; k < 400; k++) {
    critic.gradient(linear)
    critic.learner.step(step)
  }
  expect(critic.gradient(linear)).toBeLessThan(first / 1000)
  expect(critic.values(linear[1]!.states)[0]!).toBeCloseTo(linear[1]!.returns[0]!, 1)
})

test('on the policy it is an ordinary value model that reads the same values', async () => {
  const base = openBase(`${checkpoints}/base_f32`)
  const model = new Model(new FrozenWeights(base), { device: resolveDevice('cpu', 1) })
  const policy = freshRole(base, { rank: 4, alpha: 8, head: 'none', seed: 1 })
  new TorchRandom(2).normal(policy.state.data, 0, 0.05)
  const row = { promptIds: [5, 17, 80], completionIds: [33, 7, 260, 12] }
  const [reading] = await readTransport(model, policy, [row], shapeFor([row], 1))
  const critic = new AlignedCritic(base.config.hiddenSize, 0.5)
  new TorchRandom(3).normal(critic.learner.role.state.data, 0, 0.1)
  const folder = `${scratchFolder()}/critic`
  saveRole(folder, critic.onPolicy(policy, base))
  const [values] = await prefixValues(model, roleFromPeft(folder, base, 'v_head'), [row], shapeFor([row], 1))
  critic.values(reading!.states).forEach((value, t) => {
    expect(Math.abs(value - values![t]!)).toBeLessThan(1e-4)
  })
})

test('controls keep the gates of a response, or of a position, or none', () => {
  const gates = [[0.8, 0.9, 1], [0.9]]
  const none = () => [0]
  expect(controlled(gates, { gate: 'attention', gate_max: 1 }, none)).toBe(gates)
  expect(controlled(gates, { gate: 'constant', gate_max: 0.99 }, none)).toEqual([[0.99, 0.99, 0.99], [0.99]])
  const reversed = (count: number) => Array.from({ length: count }, (_, i) => count - 1 - i)
  expect(controlled(gates, { gate: 'shuffled', gate_max: 1 }, reversed)).toEqual([[1, 0.9, 0.8], [0.9]])
  const [long, short] = controlled(gates, { gate: 'position', gate_max: 1 }, none)
  expect(long![0]).toBeCloseTo(0.85, 12)
  expect(long!.slice(1)).toEqual([0.9, 1])
  expect(short![0]).toBeCloseTo(0.85, 12)
})
