/** What must hold of the four roles after PPO, from the hashes that the stage reports before and after. */
import type { StageSummary } from '../../shared/stage.ts'
import type { IntegrityFact } from '../../shared/study-document.ts'
import { fact } from './study-work.ts'

/** The base model is the same before and after every stage. */
export function baseFact(stage: string, recorded: string, found: string): IntegrityFact {
  return fact(`base unchanged (${stage})`, recorded === found, `${short(recorded)} before, ${short(found)} after`)
}

/**
 * @param policySha256 the warm start's final learned state
 * @param rewardSha256 the reward model's final learned state
 */
export function roleFacts(ppo: StageSummary, policySha256: string, rewardSha256: string): IntegrityFact[] {
  const before = (role: string) => ppo.initialSha256[role] ?? 'not reported'
  const after = (role: string) => ppo.learnedSha256[role] ?? 'not reported'
  const reported = (role: string) => role in ppo.initialSha256 && role in ppo.learnedSha256
  const moved = (role: string) => `${short(before(role))} before, ${short(after(role))} after`
  const unchanged = (role: string) =>
    fact(`${role} unchanged`, reported(role) && before(role) === after(role), moved(role))
  const changed = (role: string) => fact(`${role} changed`, reported(role) && before(role) !== after(role), moved(role))
  return [
    fact('reference is the warm start', before('reference') === policySha256, short(before('reference'))),
    fact('actor began as the warm start', before('actor') === policySha256, short(before('actor'))),
    fact('reward model is the trained one', before('reward') === rewardSha256, short(before('reward'))),
    unchanged('reference'),
    unchanged('reward'),
    changed('actor'),
    changed('critic'),
  ]
}

const short = (hash: string) => hash.slice(0, 16)
