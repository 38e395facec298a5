/**
 * The process reward that an outcome reward induces on rollouts that share prefixes: q(prefix) is the mean outcome of the
 * rollouts that begin with it, and a token is paid what it changed in q. Where no prefix is shared, q is every rollout's
 * own outcome from its first token on and says nothing; that is refused, with the numbers.
 */
import { mean } from '../study/statistics.ts'

export interface PrefixRollout {
  /** Tokens from the first action to the last, observations between them included. */
  readonly ids: ArrayLike<number>
  /** Which of them are trained; absent where all are. */
  readonly trained?: ArrayLike<boolean | number>
  /** Names what came before the first action; rollouts of another prompt share no prefix. */
  readonly prompt?: string
  readonly outcome: number
}

export interface InducedProcessReward {
  /** q before the first token. */
  readonly root: number
  /** Of each rollout and token: q after less q before. The last token takes the rollout's own outcome as q after. */
  readonly rewards: readonly number[][]
  /** q after each token, led by the root's; and how many rollouts share that prefix. */
  readonly values: readonly number[][]
  readonly counts: readonly number[][]
  /** 1 + the longest prefix that each rollout shares with any other. */
  readonly divergenceDepths: readonly number[]
  /** Of all rollouts; 0 where there is only one, which shares nothing. */
  readonly longestCommonPrefix: number
  readonly trainedPositions: number
  /** Shares of the trained positions; 0 where there are none. */
  readonly informativeFraction: number
  readonly zeroFraction: number
  /** q is the same after every token of every rollout. */
  readonly constant: boolean
  readonly killed: boolean
}

/** Memory is that of the answer: rollouts that have parted are not followed further. @throws RangeError on no rollouts */
export function inducedProcessReward(rollouts: readonly PrefixRollout[]): InducedProcessReward {
  if (rollouts.length === 0) throw new RangeError('no graded rollout: there is no outcome to take a mean of')
  const root = meanOutcome(rollouts)
  const values = rollouts.map(({ ids, outcome }) => [root, ...Array<number>(ids.length).fill(outcome)])
  const counts = rollouts.map(({ ids }) => [rollouts.length, ...Array<number>(ids.length).fill(1)])
  for (const { members, length } of sharedPrefixes(rollouts)) {
    const value = meanOutcome(members.map((i) => rollouts[i]!))
    for (const i of members) {
      values[i]![length] = value
      counts[i]![length] = members.length
    }
  }
  const rewards = rollouts.map(({ ids, outcome }, i) =>
    Array.from({ length: ids.length }, (_, t) => {
      return (t === ids.length - 1 ? outcome : values[i]![t + 1]!) - values[i]![t]!
    }),
  )
  const sharedWith = (i: number, least: number) => counts[i]!.slice(1).findLastIndex((count) => count >= least) + 1
  const trained = trainedPositions(rollouts)
  const informative = trained.filter(({ i, t }) => counts[i]![t + 1]! >= 2).length
  const zero = trained.filter(({ i, t }) => rewards[i]![t] === 0).length
  const constant = values.every((own) => own.every((value) => value === root))
  return {
    root,
    rewards,
    values,
    counts,
    divergenceDepths: rollouts.map((_, i) => 1 + sharedWith(i, 2)),
    longestCommonPrefix: rollouts.length < 2 ? 0 : sharedWith(0, rollouts.length),
    trainedPositions: trained.length,
    informativeFraction: trained.length === 0 ? 0 : informative / trained.length,
    zeroFraction: trained.length === 0 ? 0 : zero / trained.length,
    constant,
    killed: informative === 0 || constant,
  }
}

/**
 * Mean outcome. An exact 0 of the process reward is counted, so a mean that differs from an outcome by rounding alone is
 * that outcome: 0, 0.09 and 0.18 have the mean 0.09, not 0.09000000000000001.
 */
function meanOutcome(rollouts: readonly PrefixRollout[]): number {
  const outcomes = rollouts.map(({ outcome }) => outcome)
  const computed = mean(outcomes)
  const rounding = 2 * Number.EPSILON * outcomes.reduce((largest, outcome) => Math.max(largest, Math.abs(outcome)), 0)
  return outcomes.find((outcome) => Math.abs(outcome - computed) <= rounding) ?? computed
}

interface SharedPrefix {
  /** At least two, in order. */
  readonly members: readonly number[]
  /** Tokens of the prefix, from 1 on. */
  readonly length: number
}

/** Every prefix that two or more rollouts share, by following each bundle of rollouts until it parts. */
function* sharedPrefixes(rollouts: readonly PrefixRollout[]): Generator<SharedPrefix> {
  const byPrompt = parted([...rollouts.keys()], (i) => rollouts[i]!.prompt ?? '')
  const bundles = byPrompt.map((members): SharedPrefix => ({ members, length: 0 }))
  for (let bundle = bundles.pop(); bundle !== undefined; bundle = bundles.pop()) {
    const { members, length } = bundle
    const going = members.filter((i) => rollouts[i]!.ids.length > length)
    for (const together of parted(going, (i) => rollouts[i]!.ids[length]!)) {
      if (together.length < 2) continue
      const longer = { members: together, length: length + 1 }
      yield longer
      bundles.push(longer)
    }
  }
}

function parted<Key>(members: readonly number[], keyOf: (member: number) => Key): number[][] {
  const sets = new Map<Key, number[]>()
  for (const member of members) {
    const key = keyOf(member)
    const set = sets.get(key)
    if (set === undefined) sets.set(key, [member])
    else set.push(member)
  }
  return [...sets.values()]
}

function trainedPositions(rollouts: readonly PrefixRollout[]): { readonly i: number; readonly t: number }[] {
  return rollouts.flatMap(({ ids, trained }, i) =>
    Array.from({ length: ids.length }, (_, t) => ({ i, t })).filter(({ t }) => trained === undefined || trained[t]),
  )
}
