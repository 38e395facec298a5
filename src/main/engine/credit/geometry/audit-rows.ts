/**
 * An audit of stored rollouts as a user asks for it: which rollouts count, what their tokens are, where advantages come
 * from. The command line and the stage process both come here.
 */
import { BadInput } from '../../../../shared/bad-input.ts'
import type { AuditSettings, CreditAudit, RefusedAudit } from '../../../../shared/credit-audit.ts'
import type { Trajectory } from '../../../../shared/trajectory.ts'
import { type ConversationTokenizer, withTokenIds } from '../../../rows/encode-conversation.ts'
import type { PlacedTrajectory } from '../../../rows/read-trajectories.ts'
import { mostMagnitude } from '../../../rows/trajectory-schema.ts'
import { freshRole, type Role } from '../../learn/role.ts'
import type { Model } from '../../nn/model.ts'
import { absenceOf, estimate } from '../estimators/estimate.ts'
import { methodNamed } from '../estimators/registry.ts'
import type { GivenSettings } from '../estimators/settings.ts'
import { auditCredit } from './audit.ts'
import type { OnPass } from './disintegrate.ts'

/** A policy without an adapter: the directions LoRA would open, at the point where training starts. */
const FRESH = { rank: 8, alpha: 16, head: 'none', seed: 49 } as const

export interface AuditedPolicy {
  readonly model: Model
  readonly tokenizer: ConversationTokenizer
  /** Ends every assistant turn that is given as text. */
  readonly eosId: number
  /** Null: the base alone, audited in a fresh adapter. */
  readonly role: Role | null
}

/** @throws BadInput naming the file, row and field, or the flag, that is wrong */
export async function auditRows(
  { model, tokenizer, eosId, role }: AuditedPolicy,
  placed: readonly PlacedTrajectory[],
  file: string,
  settings: AuditSettings,
  onPass?: OnPass,
): Promise<CreditAudit | RefusedAudit> {
  const rows = placed.map((one) => withTokenIds({ file, tokenizer, eosId }, one))
  const credited = advantagesOf(rows, settings.advantages, file)
  const counted = credited.rollouts.filter(({ advantages }) => advantages !== null)
  if (counted.length === 0) throw new BadInput(file, 'holds no rollout that was graded')
  const { partition, dtype, reduction, step } = settings
  return auditCredit(
    model,
    role ?? freshRole(model.base, FRESH),
    {
      trajectories: counted.map(({ trajectory }) => trajectory),
      advantages: counted.map(({ advantages }) => advantages!),
      advantagesFrom: credited.from,
      leftOut: credited.rollouts.flatMap(({ trajectory, advantages }) => (advantages === null ? [trajectory.id] : [])),
      fresh: role === null,
      file,
      partition,
      dtype,
      reduction,
      ...(step !== undefined && { step: { optimizer: step.optimizer, learningRate: step.learning_rate } }),
    },
    onPass,
  )
}

interface Credited {
  /** Where the numbers come from, in words. */
  readonly from: string
  /** Null: counts nowhere. */
  readonly rollouts: readonly { readonly trajectory: Trajectory; readonly advantages: readonly number[] | null }[]
}

function advantagesOf(rows: readonly Trajectory[], source: AuditSettings['advantages'], file: string): Credited {
  if (source === 'recorded')
    return {
      from: 'recorded with the rollouts',
      rollouts: rows.map((trajectory) => ({ trajectory, advantages: recordedAdvantages(trajectory, file) })),
    }
  const { method, parameters, rollouts } = estimate(
    methodNamed(source.method, '--method'),
    rows,
    source.settings as GivenSettings,
    file,
  )
  const settings = Object.entries(parameters).map(([name, value]) => `${name.replaceAll('_', ' ')} ${value}`)
  return {
    from: [method.name, ...settings].join(', '),
    rollouts: rollouts.map(({ trajectory, absence, credit }) => ({
      trajectory,
      advantages: absence === null ? credit.advantages : null,
    })),
  }
}

const isCredit = (value: unknown) => typeof value === 'number' && Math.abs(value) <= mostMagnitude

/** One a token, in every assistant turn; a rollout without any counts nowhere where it was not graded. */
function recordedAdvantages(trajectory: Trajectory, file: string): number[] | null {
  const turns = trajectory.turns as readonly (Trajectory['turns'][number] & { readonly advantages?: unknown })[]
  const actions = turns.flatMap((turn, at) => (turn.role === 'assistant' ? [{ ...turn, at }] : []))
  if (absenceOf(trajectory) !== null && actions.every(({ advantages }) => advantages === undefined)) return null
  return actions.flatMap(({ token_ids = [], advantages = [], at }) => {
    const numbers = Array.isArray(advantages) ? (advantages as unknown[]) : []
    if (numbers.length !== token_ids.length || !numbers.every(isCredit))
      throw new BadInput(
        file,
        `turns[${at}] needs advantages, one number within ±1e15 for each of its ${token_ids.length} token_ids`,
        `row ${trajectory.id}`,
      )
    return numbers as number[]
  })
}
