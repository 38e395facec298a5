/** For tests: small rollouts, and what a method makes of them. */
import { expect } from 'vitest'
import type { Trajectory, Turn } from '../../../../shared/trajectory.ts'
import { estimate } from './estimate.ts'
import { methodNamed } from './registry.ts'
import type { GivenSettings } from './settings.ts'

export const near = (list: readonly number[]) => list.map((value) => expect.closeTo(value, 10) as number)

export const user: Turn = { role: 'user', token_ids: [1, 2] }
export const said = (tokens: number, more: Partial<Turn> = {}): Turn => ({
  role: 'assistant',
  token_ids: Array.from({ length: tokens }, (_, t) => t),
  ...more,
})
export const seen = (tokens: number, more: Partial<Turn> = {}): Turn => ({ ...said(tokens, more), role: 'tool' })
export function rollout(id: string, turns: readonly Turn[], more: Partial<Trajectory> = {}): Trajectory {
  return { id, group: 'g', reward: 0, terminated: true, truncated: false, turns: [user, ...turns], ...more }
}
export const run = (name: string, rows: readonly Trajectory[], given: GivenSettings = {}) =>
  estimate(methodNamed(name, '--method'), rows, given, 'file.jsonl')
export const advantages = (name: string, rows: readonly Trajectory[], given: GivenSettings = {}) =>
  run(name, rows, given).rollouts.map(({ credit }) => credit.advantages)
export const only = (name: string, row: Trajectory, given: GivenSettings = {}) => advantages(name, [row], given)[0]!
