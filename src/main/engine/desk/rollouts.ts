/**
 * Episodes of a policy: many at once, each from its request or from any prefix that was played before. What the policy read
 * and said is kept in ids, so that training sees the very row that was sampled.
 */
import { BadInput } from '../../../shared/bad-input.ts'
import type { DeskRules } from '../../../shared/desk-rules.ts'
import type { Turn } from '../../../shared/trajectory.ts'
import { type ConversationEncoder, conversationFrame } from '../../rows/encode-conversation.ts'
import { trainedRow } from '../credit/trained-row.ts'
import { microBatchRows } from '../learn/micro-batch.ts'
import { type OnRows, rewardScores } from '../learn/reading.ts'
import type { Role } from '../learn/role.ts'
import { type StageContext, turnEndId } from '../learn/stage-context.ts'
import { PhaseClock } from '../learn/stage-run.ts'
import { columnMultiple, shapeFor, type TokenRow } from '../nn/batch.ts'
import type { Choice, Generated } from '../nn/generate.ts'
import { generateTurns } from '../nn/generate-turns.ts'
import { noAdapter } from '../nn/model.ts'
import { type DeskTrajectory, type Episode, openEpisode, takeTurn, trajectoryOf } from './episode.ts'
import type { DeskTask } from './tasks.ts'

/** A row to be sampled: its name and group, and where it starts. */
export interface EpisodeStart {
  readonly id: string
  readonly group: string
  readonly episode: Episode
}

export interface DeskSampling {
  readonly context: StageContext
  readonly rules: DeskRules
  /** Null: the base model alone. */
  readonly policy: Role | null
  /** Scores of finished transcripts, one each in order; needed where a reward model is part of the reward. */
  readonly score: ((trajectories: readonly DeskTrajectory[]) => Promise<readonly number[]>) | null
  readonly choice: Choice
  /** Numbers in [0, 1) for failures of the environment; not called while the rate is 0. */
  readonly uniform: () => number
  readonly clock?: PhaseClock
  readonly onRows?: OnRows
}

/** Rows decoded together: wide enough to share the cost of a step, small enough for the cache of an ordinary machine. */
const SMALL_MODEL_ROWS = 64
const LARGE_MODEL_ROWS = 8
const SCORED_ROWS = 16

export function deskFrame({ base, tokenizer }: StageContext): ReturnType<typeof conversationFrame> {
  const encoder: ConversationEncoder = { file: base.dir, tokenizer, eosId: turnEndId({ base, tokenizer }) }
  return conversationFrame(encoder)
}

export function startOf(task: DeskTask, id: string, group = task.id): EpisodeStart {
  return { id, group, episode: openEpisode(task) }
}

/**
 * Plays every start to its end and judges it. Order kept. Draws nothing but by `choice` and `uniform`.
 * @throws BadInput where the context has no room for a turn
 */
export async function playEpisodes(sampling: DeskSampling, starts: readonly EpisodeStart[]): Promise<DeskTrajectory[]> {
  const { context, rules, score, clock = new PhaseClock() } = sampling
  const frame = deskFrame(context)
  const played = await clock.time('generation', () => play(sampling, starts, frame))
  const parts = starts.map(({ id, group }, i) => ({
    id,
    group,
    episode: played[i]!,
    promptIds: frame.request(played[i]!.state.task.prompt),
    observationIds: frame.observation,
  }))
  const unscored = { ...rules, reward_model_weight: 0 }
  const trajectories = parts.map((part) => trajectoryOf({ ...part, prices: unscored, score: null }))
  if (rules.reward_model_weight === 0) return trajectories
  if (score === null) throw new RangeError('the reward asks for a reward model and none is given')
  // What the environment broke off is judged by nobody.
  const judged = trajectories.flatMap(({ reward }, i) => (reward === null ? [] : [i]))
  const scores = await score(judged.map((i) => trajectories[i]!))
  for (const [k, i] of judged.entries())
    trajectories[i] = trajectoryOf({ ...parts[i]!, prices: rules, score: scores[k]! })
  return trajectories
}

async function play(
  { context, rules, policy, choice, uniform, onRows }: DeskSampling,
  starts: readonly EpisodeStart[],
  frame: ReturnType<typeof deskFrame>,
): Promise<Episode[]> {
  const { model, tokenizer, large } = context
  const episodes = starts.map(({ episode }) => episode)
  const prompts = episodes.map((episode) => idsOf(episode, frame))
  const longest = prompts.reduce((most, { length }) => Math.max(most, length), 1)
  const contextTokens = Math.min(rules.max_context_tokens, context.base.config.maxPositions)
  const full = prompts.findIndex(({ length }) => length >= contextTokens)
  if (full !== -1)
    throw new BadInput(
      'max_context_tokens',
      `${contextTokens} leave no room for a turn after ${prompts[full]!.length} tokens`,
      `row ${starts[full]!.id}`,
    )
  const reply = (row: number, sampled: Generated, room: number): readonly number[] | null => {
    const breaks = rules.failure_rate > 0 && uniform() < rules.failure_rate
    const episode = takeTurn(episodes[row]!, agentTurn(tokenizer, sampled), rules.horizon, breaks)
    const { observation } = episode.turns.at(-1)!
    const ids = observation === null ? [] : frame.observation(observation)
    const fits = ids.length < room
    episodes[row] = fits ? episode : outOfRoom(episode)
    return fits && episode.state.end === null ? ids : null
  }
  await generateTurns(
    model,
    policy?.layout ?? noAdapter,
    policy?.state ?? null,
    {
      prompts,
      maxTurnTokens: rules.max_turn_tokens,
      contextTokens,
      eosIds: [turnEndId(context)],
      choice,
      batch: Math.min(starts.length, large ? LARGE_MODEL_ROWS : SMALL_MODEL_ROWS),
      promptColumns: Math.ceil(longest / columnMultiple) * columnMultiple,
      reply,
    },
    onRows,
  )
  return episodes
}

/** Every id that the policy has read when its next turn begins. */
function idsOf({ turns, state }: Episode, frame: ReturnType<typeof deskFrame>): number[] {
  const ids = [...frame.request(state.task.prompt)]
  for (const { agent, observation } of turns) {
    if (agent.token_ids === undefined || observation === null)
      throw new RangeError(`the episode of ${state.task.id} cannot go on: a turn has no ids or no observation`)
    ids.push(...agent.token_ids, ...frame.observation(observation))
  }
  return ids
}

function agentTurn(tokenizer: StageContext['tokenizer'], { tokenIds, logprobs, finishReason }: Generated) {
  const said = finishReason === 'eos' ? tokenIds.slice(0, -1) : tokenIds
  return {
    // Markers inside a turn stay visible: a sentence with one in it is no sentence of the grammar.
    text: tokenizer.decode(said),
    finish: finishReason,
    decodable: said.every((id) => tokenizer.isDecodable(id)),
    token_ids: tokenIds,
    logprobs,
  } satisfies Episode['turns'][number]['agent'] & Pick<Turn, 'token_ids'>
}

/** The observation that does not fit was never read; without it the episode cannot go on. */
function outOfRoom({ turns, state }: Episode): Episode {
  const last = turns.at(-1)!
  return {
    turns: [...turns.slice(0, -1), { ...last, observation: null }],
    state: { ...state, end: state.end ?? 'token_limit' },
  }
}

/** Scores by a frozen reward model: its value at the last action token of the whole transcript. */
export function transcriptScores({ model, base }: StageContext, rewardModel: Role): NonNullable<DeskSampling['score']> {
  return async (trajectories) => {
    if (trajectories.length === 0) return []
    const rows = trajectories.map((trajectory): TokenRow => trainedRow(trajectory, 'rollouts'))
    const whole = shapeFor(rows, 1)
    const tokens = whole.prompt + whole.response
    const batch = microBatchRows(base.config, tokens, 1, Math.min(rows.length, SCORED_ROWS))
    return rewardScores(model, rewardModel, rows, { ...whole, batch })
  }
}
