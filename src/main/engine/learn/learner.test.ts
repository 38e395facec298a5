/** A step that leaves a parameter no number is an error, not a checkpoint. */
import { expect, test } from 'vitest'
import { openBase } from '../checkpoint/hf-folder.ts'
import { NonFinite } from '../optim/non-finite.ts'
import { Learner } from './learner.ts'
import { freshRole } from './role.ts'

const base = openBase(new URL('../../../../test/golden/checkpoints/base_f32', import.meta.url).pathname)

test('a rate that throws a parameter out of float32 is named with the tensor, and the step fails', () => {
  const learner = new Learner(freshRole(base, { rank: 2, alpha: 4, head: 'none', seed: 1 }))
  learner.part.data.fill(1)
  learner.accumulate(1)
  const settings = { learningRate: 1e300, weightDecay: 0, maxNorm: 1 }
  expect(() => learner.step(settings)).toThrow(NonFinite)
  const sound = new Learner(freshRole(base, { rank: 2, alpha: 4, head: 'none', seed: 1 }))
  sound.part.data.fill(1)
  sound.accumulate(1)
  expect(sound.step({ ...settings, learningRate: 1e-3 })).toBeCloseTo(Math.sqrt(sound.gradient.length), 1)
})
