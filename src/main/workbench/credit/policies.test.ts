import { expect, it } from 'vitest'
import type { CreditAudit } from '../../../shared/credit-audit.ts'
import type { RunRow } from '../../store/runs.ts'
import type { Workbench } from '../workbench.ts'
import { sampledByGap } from './credit-results.ts'
import { hasSampled, policyAsked } from './policies.ts'

const bench = { store: { db: null } } as unknown as Workbench
const result = (stage: string, config: object) => ({ stage, config, summary: null }) as unknown as RunRow
const file = { kind: 'file', sha256: 'a'.repeat(64) }

it('a policy sampled the rollouts where it is the only one that did; nothing is said of what no hash tells', () => {
  expect(hasSampled('p', new Set(['p']))).toBe(true)
  expect(hasSampled('p', new Set(['q']))).toBe(false)
  expect(hasSampled('p', new Set(['p', 'q']))).toBe(false)
  expect(hasSampled('p', new Set())).toBe(null)
  expect(hasSampled(null, new Set(['p']))).toBe(null)
})

it('parameters of no run here are called by what they are', () => {
  expect(policyAsked(bench, result('credit-audit', { source: file }))).toBe('the base model, in a fresh adapter')
  expect(policyAsked(bench, result('credit-datc', { source: file }))).toBe('the base model')
  expect(policyAsked(bench, result('credit-audit', { source: file, adapter_sha256: 'b' }))).toBe(
    'an adapter of its own',
  )
})

it('without hashes, recorded log-probabilities tell whether another policy sampled, where rounding does not hide it', () => {
  const audit = (mean: number, dtype: CreditAudit['dtype']) =>
    ({ dtype, sampling_gap: { tokens: 3, mean, max: mean } }) as CreditAudit
  expect(sampledByGap(audit(1e-6, 'float32'))).toBe(true)
  expect(sampledByGap(audit(0.02, 'float64'))).toBe(false)
  expect(sampledByGap(audit(0.02, 'bfloat16'))).toBe(null)
  expect(sampledByGap({ dtype: 'float32' } as CreditAudit)).toBe(null)
})
