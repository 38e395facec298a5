/** Every estimator, in the order of the guide: broadcast, causal, critic, gates, groups, teachers, models, trees, levels. */
import { BadInput } from '../../../../shared/bad-input.ts'
import { closest } from '../../../../shared/closest.ts'
import { compGae } from './comp-gae.ts'
import { compaction } from './compaction.ts'
import { factor } from './factor.ts'
import { gaca } from './gaca.ts'
import { gae, td } from './gae.ts'
import { gaeSkipObservation } from './gae-skip-observation.ts'
import { gaeTurn } from './gae-turn.ts'
import { opd, opdRbm } from './gamma-opd.ts'
import { gatedBepo } from './gated-bepo.ts'
import { gigpo } from './gigpo.ts'
import { mbpo } from './mbpo.ts'
import type { Method } from './method.ts'
import { monteCarlo } from './monte-carlo.ts'
import { option } from './option.ts'
import { p2t } from './p2t.ts'
import { red } from './red.ts'
import { rewardToGoMethod } from './reward-to-go.ts'

export const methods: readonly Method[] = [
  monteCarlo,
  rewardToGoMethod,
  td,
  gae,
  gaeTurn,
  gaeSkipObservation,
  compaction,
  compGae,
  gigpo,
  gaca,
  gatedBepo,
  factor,
  opd,
  opdRbm,
  red,
  p2t,
  mbpo,
  option,
]

/** @throws BadInput naming `flag` where there is no such method */
export function methodNamed(name: string, flag: string): Method {
  const found = methods.find((method) => method.name === name)
  if (found !== undefined) return found
  const names = methods.map((method) => method.name)
  const near = closest(name, names)
  const hint = near === undefined ? `one of ${names.join(', ')}` : `did you mean ${near}?`
  throw new BadInput(flag, `${name || 'an empty name'} is no method; ${hint}`)
}
