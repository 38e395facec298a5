/** Sampling one PPO iteration: responses, and everything about them that is fixed from then on. */
import type { EncodedRow } from '../../../shared/rows.ts'
import type { Rollout } from '../../../shared/stage.ts'
import type { PpoConfig } from '../../../shared/training-config.ts'
import { columnMultiple, type TokenRow } from '../nn/batch.ts'
import { generate } from '../nn/generate.ts'
import { fixedPpoTargets, sampledLogRatio } from './ppo-math.ts'
import { prefixValues, rewardScores, tokenLogProbs } from './reading.ts'
import { responseShape } from './response-shape.ts'
import type { Role } from './role.ts'
import type { StageContext } from './stage-context.ts'
import type { PhaseClock } from './stage-run.ts'

export interface PpoRoles {
  readonly actor: Role
  readonly reference: Role
  readonly reward: Role
  readonly critic: Role
}

export interface RolloutSource {
  readonly context: StageContext
  readonly config: PpoConfig
  readonly roles: PpoRoles
  readonly clock: PhaseClock
  /** Longest prompt of the whole data set, so that its prompts share one compiled graph. */
  readonly promptColumns: number
  /** The one id that ends a response; PAD is an ordinary token here. */
  readonly eosId: number
  readonly uniform: () => number
}

export async function collectRollouts(
  source: RolloutSource,
  prompts: readonly EncodedRow[],
  iteration: number,
): Promise<Rollout[]> {
  const { context, config, roles, clock, promptColumns, eosId, uniform } = source
  const { model, tokenizer } = context
  const sampled = await clock.time('generation', () =>
    generate(model, roles.actor.layout, roles.actor.state, {
      prompts: prompts.map((prompt) => prompt.promptIds),
      maxNewTokens: config.max_new_tokens,
      eosIds: [eosId],
      choice: { kind: 'sample', temperature: config.temperature, uniform },
      batch: prompts.length,
      promptColumns: Math.ceil(promptColumns / columnMultiple) * columnMultiple,
    }),
  )
  const rows = sampled.map(
    (response, i): TokenRow => ({ promptIds: prompts[i]!.promptIds, completionIds: response.tokenIds }),
  )
  const shape = responseShape(context, rows, promptColumns, config.max_new_tokens)
  const reference = await clock.time('reference', () => tokenLogProbs(model, roles.reference, rows, shape))
  const judged = await clock.time('judge', () => rewardScores(model, roles.reward, rows, shape))
  const values = await clock.time('critic', () => prefixValues(model, roles.critic, rows, shape))
  return sampled.map((response, i) => {
    const fixed = {
      old_token_logprobs: response.logprobs,
      reference_token_logprobs: reference[i]!,
      // The value after the last token has no successor: both EOS and truncation end the episode.
      values: values[i]!.slice(0, -1),
      learned_reward_score: judged[i]!,
      finish_reason: response.finishReason,
    }
    return {
      rollout_id: `iteration-${String(iteration).padStart(3, '0')}-slot-${i}`,
      prompt_id: prompts[i]!.id,
      prompt_ids: prompts[i]!.promptIds,
      response_ids: response.tokenIds,
      text: tokenizer.decode(response.tokenIds, { skipSpecial: true }),
      tokenization_valid: response.tokenIds.every((id) => tokenizer.isDecodable(id)),
      ...fixed,
      ...fixedPpoTargets(fixed, config),
      sampled_actor_reference_logratio: sampledLogRatio(fixed.old_token_logprobs, fixed.reference_token_logprobs),
    }
  })
}
