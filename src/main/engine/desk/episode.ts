/** An episode in progress, and the trajectory that it leaves: texts, ids, events, state keys and rewards, turn by turn. */
import type { DeskPrices } from '../../../shared/desk-rules.ts'
import type { Trajectory, Turn } from '../../../shared/trajectory.ts'
import {
  type AgentTurn,
  type DeskEnd,
  type DeskEvent,
  type DeskState,
  openingState,
  stateKey,
  step,
} from './environment.ts'
import { deskReward, type RewardPart } from './rewards.ts'
import type { DeskTask } from './tasks.ts'

/** What was sampled or written for one agent turn, and what the environment made of it. */
export interface EpisodeTurn {
  readonly agent: AgentTurn & Pick<Turn, 'token_ids' | 'logprobs'>
  /** State the turn was taken in. */
  readonly stateKey: string
  readonly event: DeskEvent
  readonly observation: string | null
}

export interface Episode {
  readonly turns: readonly EpisodeTurn[]
  readonly state: DeskState
}

export function openEpisode(task: DeskTask): Episode {
  return { turns: [], state: openingState(task) }
}

/** The episode after one more agent turn. */
export function takeTurn(
  { turns, state }: Episode,
  agent: EpisodeTurn['agent'],
  horizon: number,
  breaks: boolean,
): Episode {
  const { state: next, event, observation } = step(state, agent, horizon, breaks)
  return { turns: [...turns, { agent, stateKey: stateKey(state), event, observation }], state: next }
}

export interface DeskTurn extends Turn {
  readonly role: 'user' | 'assistant' | 'tool'
  /** Of an agent turn: what it was to the environment. A check whose gate was not known is `locked`. */
  readonly event?: 'check' | 'locked' | 'answer' | 'invalid' | 'cut' | 'failure'
}

/** A trajectory of the desk: the common shape, and what the desk knows beyond it. */
export interface DeskTrajectory extends Trajectory {
  readonly turns: readonly DeskTurn[]
  readonly task: Omit<DeskTask, 'prompt'>
  readonly end: DeskEnd
  /** The rubric's verdict on the answer; null where the environment failed. */
  readonly success: boolean | null
  readonly reward_parts: Readonly<Record<RewardPart, number>> | null
}

export interface TrajectoryParts {
  readonly id: string
  readonly group: string
  readonly episode: Episode
  readonly prices: DeskPrices
  /** Of the reward model; null where none is asked. */
  readonly score: number | null
  /** Ids of the request and of each observation, as the policy read them; absent for a trajectory of text. */
  readonly promptIds?: readonly number[]
  readonly observationIds?: (text: string) => readonly number[]
}

/** @throws RangeError for an episode that has not ended */
export function trajectoryOf({
  id,
  group,
  episode,
  prices,
  score,
  promptIds,
  observationIds,
}: TrajectoryParts): DeskTrajectory {
  const { task, end } = episode.state
  if (end === null) throw new RangeError(`the episode of ${task.id} has not ended`)
  const events = episode.turns.map((turn) => turn.event)
  const reward = deskReward(events, end, prices, score)
  const last = events.at(-1)
  const { prompt, ...facts } = task
  return {
    id,
    group,
    reward: reward === null ? null : reward.total,
    terminated: end === 'answered',
    truncated: end === 'horizon' || end === 'token_limit',
    ...(end !== 'answered' && { final_state_key: stateKey(episode.state) }),
    task: facts,
    end,
    success: reward === null ? null : last?.kind === 'answer' && last.verdict.rubric_success,
    reward_parts: reward === null ? null : reward.parts,
    turns: [
      { role: 'user', text: prompt, ...(promptIds && { token_ids: promptIds }) },
      ...episode.turns.flatMap(({ agent, stateKey, event, observation }, k): DeskTurn[] => [
        {
          role: 'assistant',
          text: agent.text,
          ...(agent.token_ids && { token_ids: agent.token_ids }),
          ...(agent.logprobs && { logprobs: agent.logprobs }),
          state_key: stateKey,
          ...(reward !== null && { reward: reward.turns[k]! }),
          event: event.kind === 'check' && event.reply === 'locked' ? 'locked' : event.kind,
        },
        ...(observation === null
          ? []
          : [
              {
                role: 'tool' as const,
                text: observation,
                ...(observationIds && { token_ids: observationIds(observation) }),
              },
            ]),
      ]),
    ],
  }
}
