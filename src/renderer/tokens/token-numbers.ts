/** Every number of one response token, and the quantities that a lattice can be coloured by. */
import type { RolloutView } from '../../shared/ipc.ts'

export const exactShare = 'exact credit share'

export const quantities = [
  'log-prob',
  'reference log-prob',
  'log-ratio to reference',
  'ratio',
  'value',
  'reward',
  'advantage',
  'return',
  exactShare,
] as const
export type Quantity = (typeof quantities)[number]

export interface TokenNumbers {
  readonly index: number
  readonly id: number
  readonly text: string
  readonly logprob: number
  readonly reference: number
  readonly value: number
  readonly reward: number
  readonly advantage: number
  readonly return: number
  /** As each update saw the token. */
  readonly updates: readonly {
    readonly update: number
    readonly logprob: number
    readonly ratio: number
    readonly value: number
    /** Of the update's whole gradient; NaN where the update was not audited. */
    readonly share: number
  }[]
}

/** A number that was not recorded is NaN here and shown as a dash. */
const at = (values: readonly number[], index: number) => values[index] ?? Number.NaN

export function tokenNumbers({ rollout, response_tokens: texts, observations, audits }: RolloutView): TokenNumbers[] {
  return rollout.response_ids.map((id, index) => ({
    index,
    id,
    text: texts[index] ?? `#${id}`,
    logprob: at(rollout.old_token_logprobs, index),
    reference: at(rollout.reference_token_logprobs, index),
    value: at(rollout.values, index),
    reward: at(rollout.token_rewards, index),
    advantage: at(rollout.advantages, index),
    return: at(rollout.returns, index),
    updates: observations.map((seen) => ({
      update: seen.update,
      logprob: at(seen.current_token_logprobs, index),
      ratio: at(seen.ratios, index),
      value: at(seen.current_values, index),
      share: at(audits.find(({ update }) => update === seen.update)?.token_shares ?? [], index),
    })),
  }))
}

/** @param update which update's ratio; NaN where it did not see the token */
export function quantityOf(token: TokenNumbers, quantity: Quantity, update: number | null): number {
  switch (quantity) {
    case 'log-prob':
      return token.logprob
    case 'reference log-prob':
      return token.reference
    case exactShare:
      return shareAt(token, update)
    case 'log-ratio to reference':
      return token.logprob - token.reference
    case 'ratio':
      return token.updates.find((seen) => seen.update === update)?.ratio ?? Number.NaN
    default:
      return token[quantity]
  }
}

/** At the update that is looked at where it was audited, else at the first that was. */
function shareAt({ updates }: TokenNumbers, update: number | null): number {
  const audited = updates.filter(({ share }) => Number.isFinite(share))
  return (audited.find((seen) => seen.update === update) ?? audited[0])?.share ?? Number.NaN
}

/** Whether the token rewards add up to the parts that the reward was made of. */
export interface RewardSum {
  readonly tokens: number
  readonly judge: number
  readonly kl: number
  readonly truncation: number
  readonly parts: number
  readonly difference: number
}

export function rewardSum({ rollout }: RolloutView): RewardSum {
  const tokens = rollout.token_rewards.reduce((sum, reward) => sum + reward, 0)
  const { judge, kl, truncation } = rollout.reward_parts
  const parts = judge + kl + truncation
  return { tokens, judge, kl, truncation, parts, difference: tokens - parts }
}

/** A token as it can be seen: blanks, line ends and what has no shape are marked. */
export function visibleToken(text: string): string {
  if (text === '') return '∅'
  return (
    text
      .replaceAll(' ', '·')
      .replaceAll('\n', '⏎')
      .replaceAll('\t', '→')
      .replaceAll('\u00a0', '⍽')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced
      .replace(/[\u0000-\u001f\u007f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, '�')
  )
}
