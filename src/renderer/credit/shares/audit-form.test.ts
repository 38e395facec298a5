import { expect, it } from 'vitest'
import { creditAudit } from '../../../main/cli/commands/credit-audit.ts'
import type { TrajectoryList } from '../../../shared/credit.ts'
import { firstForm } from './audit-form.ts'

const nothing: TrajectoryList = { name: 'file', rows: [], fields: [], model: null, policies: [], reward_adapters: [] }

it('asks as the command line does: the same question has the same numbers', () => {
  const command = creditAudit(
    () => {
      throw new Error('only its flags are read')
    },
    () => {},
  )
  const flags = new Map(command.options.map(({ long, defaultValue }) => [long, defaultValue]))
  expect(firstForm(nothing)).toMatchObject({
    partition: flags.get('--partition'),
    dtype: flags.get('--dtype'),
    reduction: flags.get('--reduction'),
    advantages: `monte-carlo:${flags.get('--baseline')}`,
    learningRate: flags.get('--learning-rate'),
  })
  expect(firstForm(nothing)).toMatchObject({ reduction: 'sum', learningRate: 0.01 })
  // A run's own rollouts are asked with the run's own loss.
  expect(firstForm(nothing, 'run').reduction).toBe('response-mean')
})
