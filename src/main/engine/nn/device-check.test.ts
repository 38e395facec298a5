import { expect, test } from 'vitest'
import { checkGradients, gradientTolerance } from './device-check.ts'

test('the CPU agrees with itself and every objective of the study is covered', async () => {
  const checks = await checkGradients({ name: 'cpu', reason: '', threads: 1 })
  expect(checks.map((check) => check.objective)).toEqual(['sft', 'ppo_actor', 'critic', 'cached decoding'])
  for (const { distance } of checks) expect(distance).toBe(0)
  expect(gradientTolerance).toBeLessThan(1e-2)
})
