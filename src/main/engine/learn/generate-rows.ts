/** Free generation for encoded prompts, with what the reference policy and the judge say of each response beside it. */
import type { EncodedRow } from '../../../shared/rows.ts'
import type { GenerationRow } from '../../../shared/stage.ts'
import { columnMultiple, shapeFor, type TokenRow } from '../nn/batch.ts'
import { type Choice, generate } from '../nn/generate.ts'
import { noAdapter } from '../nn/model.ts'
import { microBatchRows } from './micro-batch.ts'
import { type OnRows, rewardScores, tokenLogProbs } from './reading.ts'
import type { Role } from './role.ts'
import type { StageContext } from './stage-context.ts'
import type { PhaseClock } from './stage-run.ts'

/** Prompts decoded together. More rows share each step's fixed cost; a batch runs as long as its longest response. */
const GENERATION_ROWS = 20
const LARGE_MODEL_ROWS = 4

export interface GenerateOptions {
  readonly policy: Role | null
  readonly reference: Role | null
  readonly reward: Role | null
  readonly maxNewTokens: number
  readonly eosIds: readonly number[]
  readonly choice: Choice
  readonly clock: PhaseClock
  /** After every batch of responses. */
  readonly onRows?: OnRows
  /** After every batch of the readings that follow generation, with the reading's name. */
  readonly onReading?: (reading: 'reference' | 'judge') => void | Promise<void>
}

export async function generateRows(
  context: StageContext,
  prompts: readonly EncodedRow[],
  options: GenerateOptions,
): Promise<GenerationRow[]> {
  const { model, tokenizer, base, large } = context
  const { policy, reference, reward, clock } = options
  const longest = prompts.reduce((n, prompt) => Math.max(n, prompt.promptIds.length), 1)
  const generated = await clock.time('generation', () =>
    generate(
      model,
      policy?.layout ?? noAdapter,
      policy?.state ?? null,
      {
        prompts: prompts.map((prompt) => prompt.promptIds),
        maxNewTokens: options.maxNewTokens,
        eosIds: options.eosIds,
        choice: options.choice,
        batch: Math.min(prompts.length, large ? LARGE_MODEL_ROWS : GENERATION_ROWS),
        promptColumns: Math.ceil(longest / columnMultiple) * columnMultiple,
      },
      options.onRows,
    ),
  )
  const rows = generated.map(
    (response, i): TokenRow => ({ promptIds: prompts[i]!.promptIds, completionIds: response.tokenIds }),
  )
  const whole = shapeFor(rows, 1)
  const shape = {
    ...whole,
    batch: microBatchRows(
      base.config,
      whole.prompt + whole.response,
      whole.response,
      Math.min(rows.length, GENERATION_ROWS),
    ),
  }
  const referenceLogProbs =
    reference === null
      ? null
      : await clock.time('reference', () =>
          tokenLogProbs(model, reference, rows, shape, () => options.onReading?.('reference')),
        )
  const scores =
    reward === null
      ? null
      : await clock.time('judge', () => rewardScores(model, reward, rows, shape, () => options.onReading?.('judge')))
  return generated.map((response, i) => ({
    id: prompts[i]!.id,
    token_ids: response.tokenIds,
    text: tokenizer.decode(response.tokenIds, { skipSpecial: true }),
    finish_reason: response.finishReason,
    tokenization_valid: response.tokenIds.every((id) => tokenizer.isDecodable(id)),
    logprobs: response.logprobs,
    ...(referenceLogProbs !== null && { reference_logprobs: referenceLogProbs[i]! }),
    ...(scores !== null && { learned_reward_score: scores[i]! }),
  }))
}
