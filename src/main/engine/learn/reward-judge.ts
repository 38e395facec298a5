/**
 * A frozen reward model as a judge of rollouts. It reads each rollout once and remembers what it read: methods that need
 * more than the score (values of prefixes, input gradients) ask for the reading that judged the rollout.
 */
import type { Trajectory } from '../../../shared/trajectory.ts'
import { type RewardReading, readRewardGradients } from '../credit/datc/input-gradients.ts'
import type { BatchShape, TokenRow } from '../nn/batch.ts'
import { prefixValues } from './reading.ts'
import type { Role } from './role.ts'
import type { StageContext } from './stage-context.ts'
import type { PhaseClock } from './stage-run.ts'

/** Gradients are there where the judge was told to take them. */
export type JudgeReading = Omit<RewardReading, 'inputGradient'> & { readonly inputGradient: Float32Array | null }

export class RewardJudge {
  readonly context: StageContext
  readonly role: Role
  private readonly gradients: boolean
  private readonly clock: PhaseClock
  private readonly readings = new WeakMap<Trajectory, JudgeReading>()

  constructor(
    context: StageContext,
    role: Role,
    { gradients, clock }: { readonly gradients: boolean; readonly clock: PhaseClock },
  ) {
    this.context = context
    this.role = role
    this.gradients = gradients
    this.clock = clock
  }

  /** One reading a row; the score is the value after its last token. */
  read(rows: readonly TokenRow[], shape: BatchShape): Promise<JudgeReading[]> {
    const { model } = this.context
    return this.clock.time('judge', async () => {
      if (this.gradients) return readRewardGradients(model, this.role, rows, shape, { baseScore: false })
      const values = await prefixValues(model, this.role, rows, shape)
      return values.map(([baseScore, ...prefixScores]) => {
        return { baseScore: baseScore!, prefixScores, score: prefixScores.at(-1)!, inputGradient: null }
      })
    })
  }

  remember(trajectory: Trajectory, reading: JudgeReading): void {
    this.readings.set(trajectory, reading)
  }

  /** The readings that judged these rollouts; those that another judge graded are read now. */
  async readingsOf(
    rollouts: readonly { readonly sampled: Trajectory; readonly row: TokenRow }[],
    shape: BatchShape,
  ): Promise<JudgeReading[]> {
    const unread = rollouts.filter(({ sampled }) => !this.readings.has(sampled))
    if (unread.length > 0) {
      const fresh = await this.read(
        unread.map(({ row }) => row),
        shape,
      )
      unread.forEach(({ sampled }, i) => {
        this.remember(sampled, fresh[i]!)
      })
    }
    return rollouts.map(({ sampled }) => this.readings.get(sampled)!)
  }
}
