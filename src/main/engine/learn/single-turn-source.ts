/** Rollouts of one turn: a prompt, one sampled response, one score of the reward model. */
import type { EncodedRow } from '../../../shared/rows.ts'
import type { GroupConfig } from '../../../shared/training-config.ts'
import type { Trajectory } from '../../../shared/trajectory.ts'
import { learnedSha256 } from '../checkpoint/learned-state.ts'
import { MomentCollector, type Moments } from '../credit/datc/policy-moments.ts'
import { columnMultiple, type TokenRow } from '../nn/batch.ts'
import { generate } from '../nn/generate.ts'
import { groupShape } from './group-shape.ts'
import type { RewardJudge } from './reward-judge.ts'
import type { RolloutSource } from './rollout-source.ts'
import { turnEndId } from './stage-context.ts'
import type { PhaseClock } from './stage-run.ts'

/** Responses decoded together: more share a step's fixed cost, and the batch runs as long as its longest response. */
const DECODED_TOGETHER = 32
const DECODED_TOGETHER_LARGE = 4

/** A judged response says what its reward is made of. */
export interface JudgedTrajectory extends Trajectory {
  readonly reward_parts: { readonly judge: number; readonly truncation: number }
}

export function singleTurnSource(
  judge: RewardJudge,
  prompts: readonly EncodedRow[],
  config: Pick<GroupConfig, 'max_new_tokens' | 'truncation_penalty'>,
  clock: PhaseClock,
  /** Gets the moments of every response's tokens, for methods that read them. */
  moments: Moments | undefined = undefined,
  /** Ids that end a response; PAD is an ordinary token here. */
  endIds: readonly number[] = [turnEndId(judge.context)],
): RolloutSource<EncodedRow> {
  const { context, role } = judge
  const { model, tokenizer, large } = context
  const promptColumns = prompts.reduce((most, prompt) => Math.max(most, prompt.promptIds.length), 1)
  const longest = { prompt: promptColumns, completion: config.max_new_tokens }
  return {
    tasks: prompts,
    longest,
    identity: { source: 'single turn', reward: learnedSha256(role.state) },

    async collect(policy, tasks, groupSize, uniform) {
      const asked = tasks.flatMap((task) => new Array<EncodedRow>(groupSize).fill(task))
      const collector = moments === undefined ? null : new MomentCollector(model, asked.length)
      const responses = await clock.time('generation', () =>
        generate(model, policy.layout, policy.state, {
          prompts: asked.map((task) => task.promptIds),
          maxNewTokens: config.max_new_tokens,
          eosIds: endIds,
          choice: { kind: 'sample', temperature: 1, uniform },
          batch: Math.min(asked.length, large ? DECODED_TOGETHER_LARGE : DECODED_TOGETHER),
          promptColumns: Math.ceil(promptColumns / columnMultiple) * columnMultiple,
          ...(collector !== null && { onChoice: collector.note }),
        }),
      )
      const taken = await collector?.finish()
      const rows = responses.map(
        (response, i): TokenRow => ({ promptIds: asked[i]!.promptIds, completionIds: response.tokenIds }),
      )
      const readings = await judge.read(rows, groupShape(context, rows, longest))
      return responses.map((response, i): JudgedTrajectory => {
        const truncated = response.finishReason === 'length'
        const parts = { judge: readings[i]!.score, truncation: truncated ? config.truncation_penalty : 0 }
        const { id, promptIds } = asked[i]!
        const text = tokenizer.decode(response.tokenIds, { skipSpecial: true })
        const { tokenIds: token_ids, logprobs } = response
        const trajectory: JudgedTrajectory = {
          id: `${id}/${i}`,
          group: `${id}/${Math.floor(i / groupSize)}`,
          reward: parts.judge + parts.truncation,
          reward_parts: parts,
          terminated: !truncated,
          truncated,
          turns: [
            { role: 'user', token_ids: promptIds },
            { role: 'assistant', text, token_ids, logprobs },
          ],
        }
        judge.remember(trajectory, readings[i]!)
        if (taken !== undefined) moments?.set(trajectory, taken[i]!)
        return trajectory
      })
    },
  }
}
