/**
 * Does the gain that weights promise in independent logits reach the parameters that all tokens share? From one policy,
 * batch by batch: X, what DATC's weights add over equal weights to the predicted gain, and P, what one AdamW step on
 * DATC's gradient adds over one on GRPO's to the surrogate reward, to first order.
 */
import type { SingleStepStudy, StudyBatch, StudySummary } from '../../../../shared/datc-study.ts'
import type { EncodedRow } from '../../../../shared/rows.ts'
import type { GroupConfig } from '../../../../shared/training-config.ts'
import { DrawOrder } from '../../learn/draw-order.ts'
import { sampleAndCredit } from '../../learn/group-iteration.ts'
import { type CreditedRow, groupGradient } from '../../learn/group-update.ts'
import { Learner } from '../../learn/learner.ts'
import { RewardJudge } from '../../learn/reward-judge.ts'
import { copyRole, type Role } from '../../learn/role.ts'
import { singleTurnSource } from '../../learn/single-turn-source.ts'
import type { StageContext } from '../../learn/stage-context.ts'
import { PhaseClock } from '../../learn/stage-run.ts'
import { datcCredit } from '../../learn/strategies/datc-credit.ts'
import { adamwStep, newAdamWState } from '../../optim/adamw.ts'
import { clipGradient } from '../../optim/clip.ts'
import { TorchRandom } from '../../random/torch-random.ts'
import { spearman } from '../estimators/compare.ts'
import { groupDeviations } from '../group-advantages.ts'
import { overCompletion } from '../trained-row.ts'
import { standardisedGradients } from './input-gradients.ts'
import type { Moments } from './policy-moments.ts'
import { inner, surrogateGradient } from './surrogate-reward.ts'

export interface StudyParts {
  readonly context: StageContext
  readonly policy: Role
  readonly reward: Role
  readonly prompts: readonly EncodedRow[]
  readonly config: GroupConfig
  readonly batches: number
}

/** The policy is never changed: every batch starts from the same parameters. */
export async function singleStepStudy(
  { context, policy, reward, prompts, config, batches }: StudyParts,
  onBatch?: (done: number) => void | Promise<void>,
): Promise<SingleStepStudy> {
  const clock = new PhaseClock()
  const moments: Moments = new WeakMap()
  const judge = new RewardJudge(context, reward, { gradients: true, clock })
  const source = singleTurnSource(judge, prompts, config, clock, moments)
  const strategy = datcCredit(judge, config, clock, moments)
  const order = new DrawOrder(prompts, { shuffle: true, seed: config.seed + 100 })
  const sampling = new TorchRandom(config.seed + 200)
  const reference = copyRole(policy)
  const learner = new Learner(copyRole(policy))
  const rows: StudyBatch[] = []
  while (rows.length < batches) {
    const {
      sampled,
      credits,
      rows: credited,
    } = await sampleAndCredit(strategy, {
      context,
      source,
      clock,
      policy,
      reference,
      tasks: order.next(config.prompts_per_rollout),
      groupSize: config.group_size,
      uniform: () => sampling.uniform01(),
      iteration: rows.length + 1,
    })
    const { rollouts, shape } = sampled
    const loss = { epsilon: config.clip_epsilon, klCoefficient: config.kl_coefficient }
    const gradientOf = async (of: readonly CreditedRow[]) => {
      await groupGradient(context, learner, of, shape, loss)
      return learner.gradient.slice()
    }
    const weighted = await gradientOf(credited)
    const equal = await gradientOf(
      credited.map((row, i) => ({
        ...row,
        advantages: overCompletion(
          row.row,
          row.row.places.map(() => credits[i]!.advantage),
        ),
      })),
    )
    const readings = await judge.readingsOf(rollouts, shape)
    const gradients = standardisedGradients(
      readings.map(({ inputGradient }) => inputGradient!),
      groupDeviations(rollouts.map(({ trajectory }) => trajectory)),
    )
    await surrogateGradient(
      context.model,
      learner,
      rollouts.map(({ row }) => row),
      gradients,
      shape,
    )
    const ascent = learner.gradient
    rows.push({
      independent_gain: credits.reduce((sum, { facts, advantages }) => {
        const added = facts!.predicted_gain! - facts!.predicted_gain_uniform!
        return sum + added / (advantages.length * credits.length)
      }, 0),
      shared_gain: inner(ascent, difference(stepOf(policy, weighted, config), stepOf(policy, equal, config))),
      // The gradient is of the loss, which falls as the surrogate rises.
      shared_gain_plain: inner(ascent, difference(equal, weighted)),
      informative_groups: new Set(
        rollouts.flatMap(({ trajectory }, i) => (credits[i]!.advantage === 0 ? [] : [trajectory.group])),
      ).size,
    })
    await onBatch?.(rows.length)
  }
  return {
    rows,
    summary: summaryOf(rows, ({ shared_gain }) => shared_gain),
    summary_plain: summaryOf(rows, ({ shared_gain_plain }) => shared_gain_plain),
  }
}

/** What the first AdamW step on a gradient adds to the parameters. */
function stepOf({ state }: Role, gradient: Float32Array, config: GroupConfig): Float32Array {
  const [parameters, clipped] = [state.data.slice(), gradient.slice()]
  clipGradient(clipped as Float32Array<ArrayBuffer>, state.specs, config.gradient_clip)
  adamwStep(parameters, clipped, newAdamWState(parameters.length), {
    learningRate: config.learning_rate,
    weightDecay: config.weight_decay,
  })
  return parameters
}

function difference(a: Float32Array, b: Float32Array): Float64Array {
  return Float64Array.from(a, (value, i) => value - b[i]!)
}

export function summaryOf(rows: readonly StudyBatch[], sharedOf: (row: StudyBatch) => number): StudySummary {
  const x = rows.map(({ independent_gain }) => independent_gain)
  const p = rows.map(sharedOf)
  const linear = pearson(x, p)
  const positive = (values: readonly number[]) => values.filter((value) => value > 0).length / values.length
  return {
    batches: rows.length,
    spearman: spearman(x, p),
    pearson: linear,
    r2: linear === null ? null : linear ** 2,
    share_independent_positive: positive(x),
    share_shared_positive: positive(p),
  }
}

/** Null where one list is constant. */
function pearson(x: readonly number[], y: readonly number[]): number | null {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [mx, my] = [mean(x), mean(y)]
  const dx = x.map((value) => value - mx)
  const dy = y.map((value) => value - my)
  const [xx, yy] = [inner(dx, dx), inner(dy, dy)]
  return xx === 0 || yy === 0 ? null : inner(dx, dy) / Math.sqrt(xx * yy)
}
