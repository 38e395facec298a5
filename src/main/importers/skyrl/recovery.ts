/** How the rewards of one SkyRL dump are recovered: which estimator is inverted, and what may be said of the outcome. */
import { BadInput } from '../../../shared/bad-input.ts'
import { centredScore, type RecoveryEstimator, rewardsOfGae, rewardsOfReturns } from './recover-rewards.ts'
import { fieldRow, type RowLayout } from './row-layout.ts'
import type { TrainingBatch } from './training-batch.ts'

export interface SkyrlOptions {
  /** The run's advantage estimator; absent: inferred from what the dump holds. */
  readonly estimator?: RecoveryEstimator
  /** Of the run; SkyRL's default is 1 for both. */
  readonly gamma?: number
  readonly lambda?: number
}

export interface Recovery {
  /** Null where the dump holds no returns: then rewards are not known. */
  readonly estimator: RecoveryEstimator | null
  readonly gamma: number
  readonly lambda: number
  /** Whether rewards come back as they were, not only up to a map of their group. */
  readonly inverts: boolean
  /** Stands on every row. */
  readonly origin: string
  readonly notes: readonly string[]
}

export interface RowRewards {
  /** Null where it is not known. */
  readonly reward: number | null
  /** By response column; null where only the whole rollout's is known. */
  readonly tokens: readonly number[] | null
}

/** Throws `BadInput` when the named estimator needs what the dump does not hold. */
export function recoveryFor(file: string, batch: TrainingBatch, options: SkyrlOptions): Recovery {
  const { gamma = 1, lambda = 1 } = options
  const has = (name: string) => (batch.fields.get(name) ?? null) !== null
  if (!has('returns')) {
    if (options.estimator !== undefined)
      throw new BadInput(file, `holds no returns, so ${options.estimator} cannot be inverted`)
    const note = 'the dump holds no returns, so rewards are not known: reward is null in every row'
    return { estimator: null, gamma, lambda, inverts: false, origin: 'not recorded', notes: [note] }
  }
  const estimator = options.estimator ?? inferred(batch, has)
  if (estimator === 'gae' && !has('values'))
    throw new BadInput(file, 'holds no values, so gae cannot be inverted; name the estimator of the run')
  const chosen = options.estimator === undefined ? ', inferred from the fields of the dump' : ''
  const inverts = estimator === 'gae' || estimator === 'reinforce++'
  const parameters = estimator === 'gae' ? ` γ=${gamma} λ=${lambda}` : estimator === 'reinforce++' ? ` γ=${gamma}` : ''
  const what = inverts
    ? `rewards are recovered from returns by inverting ${estimator}${parameters}${chosen}`
    : `rewards are known only up to an affine map of each group (${estimator}${chosen}): reward is the score with mean 0 in its group, and avg_final_rewards cannot be checked against it`
  return {
    estimator,
    gamma,
    lambda,
    inverts,
    origin: `recovered: ${estimator}${parameters}${inverts ? '' : ', up to an affine map of the group'}`,
    notes: [what],
  }
}

/** Values mean GAE; without them one number a rollout means a group estimator, and GRPO is the usual one. */
function inferred(batch: TrainingBatch, has: (name: string) => boolean): RecoveryEstimator {
  if (has('values')) return 'gae'
  const [advantages, returns] = [batch.fields.get('advantages') ?? null, batch.fields.get('returns')!]
  if (advantages === null || returns === null) return 'grpo'
  for (let row = 0; row < batch.rows; row++) {
    const [a, g] = [fieldRow(advantages, row), fieldRow(returns, row)]
    if (a.some((value, place) => !Object.is(value, g[place]))) return 'reinforce++'
  }
  return 'grpo'
}

interface RecoveredRow {
  readonly file: string
  readonly row: number
  readonly layout: RowLayout
  readonly numbers: ReadonlyMap<string, readonly number[]>
  readonly groupSize: number
}

export function recoverRow({ estimator, gamma, lambda }: Recovery, at: RecoveredRow): RowRewards {
  const { response } = at.layout
  const returns = at.numbers.get('returns')
  if (estimator === null || returns === undefined) return { reward: null, tokens: null }
  if (estimator === 'grpo' || estimator === 'rloo') return { reward: groupScore(estimator, at, returns), tokens: null }
  const all =
    estimator === 'gae'
      ? rewardsOfGae(returns, at.numbers.get('values') ?? [], gamma, lambda)
      : rewardsOfReturns(returns, response, gamma)
  const tokens = all.map((reward, place) => (response[place] === true ? reward : 0))
  const wrong = tokens.findIndex((reward) => !Number.isFinite(reward))
  if (wrong !== -1)
    throw new BadInput(
      at.file,
      'a value next to the response is not a finite number',
      `row ${at.row}, response column ${wrong}`,
    )
  return { reward: tokens.reduce((sum, reward) => sum + reward, 0), tokens }
}

/** Group estimators give every token of a response the same number; a group of one tells nothing under RLOO. */
function groupScore(estimator: 'grpo' | 'rloo', at: RecoveredRow, returns: readonly number[]): number | null {
  const own = returns.filter((_, place) => at.layout.response[place] === true)
  const [first] = own
  if (first === undefined) return null
  if (own.some((value) => Math.abs(value - first) > 1e-5 * Math.max(1, Math.abs(first))))
    throw new BadInput(
      at.file,
      `its returns vary from token to token, which ${estimator} does not give; name the estimator of the run`,
      `row ${at.row}`,
    )
  if (estimator === 'rloo' && at.groupSize === 1) return null
  return centredScore(estimator, first, at.groupSize)
}
