/**
 * The desk as an environment: a plain value that one action carries into the next. It knows text and no tokens, no
 * policy and no reward; a state can be rebuilt from its task and the actions taken, so an episode branches anywhere.
 */
import type { RubricVerdict } from '../../../shared/study-results.ts'
import { evaluateResponse } from '../study/rubric.ts'
import {
  type Area,
  answerTo,
  areas,
  type Finding,
  findingText,
  gates,
  invalidText,
  lockedText,
  readAction,
} from './grammar.ts'
import type { DeskTask } from './tasks.ts'

/**
 * How an episode ended. `answered` is terminal; `horizon` and `token_limit` are truncations; `environment_failure` is
 * neither and has no reward.
 */
export type DeskEnd = 'answered' | 'horizon' | 'token_limit' | 'environment_failure'

export interface DeskState {
  readonly task: DeskTask
  /** What the checks have found, whatever their order. */
  readonly known: Readonly<Partial<Record<Area, Finding>>>
  /** Agent turns taken. */
  readonly turns: number
  readonly end: DeskEnd | null
}

/** One agent turn as it was sampled. */
export interface AgentTurn {
  readonly text: string
  /** `length`: stopped by a limit of tokens before the agent ended its turn. */
  readonly finish: 'eos' | 'length'
  /** False where an id stands for no text. */
  readonly decodable: boolean
}

/** What an agent turn was, to the environment. */
export type DeskEvent =
  | { readonly kind: 'check'; readonly area: Area; readonly reply: Finding | 'locked' }
  | { readonly kind: 'answer'; readonly verdict: RubricVerdict }
  | { readonly kind: 'invalid' }
  /** The token limit came before the end of the turn. */
  | { readonly kind: 'cut' }
  /** The check's tool broke: there is no observation. */
  | { readonly kind: 'failure'; readonly area: Area }

export interface DeskStep {
  readonly state: DeskState
  readonly event: DeskEvent
  /** Null where the episode ends without a reply. */
  readonly observation: string | null
}

export function openingState(task: DeskTask): DeskState {
  return { task, known: {}, turns: 0, end: null }
}

/**
 * One agent turn. Only a check can break; `breaks` says whether this one would. A last turn that is no answer is replied to
 * before the horizon cuts, so that the state it leads to is known.
 * @throws RangeError where the episode has ended
 */
export function step(state: DeskState, turn: AgentTurn, horizon: number, breaks: boolean): DeskStep {
  if (state.end !== null) throw new RangeError(`the episode of ${state.task.id} has ended: ${state.end}`)
  const turns = state.turns + 1
  const ended = (end: DeskEnd, event: DeskEvent): DeskStep => ({
    state: { ...state, turns, end },
    event,
    observation: null,
  })
  if (turn.finish === 'length') return ended('token_limit', { kind: 'cut' })
  const action = turn.decodable ? readAction(turn.text) : { kind: 'invalid' as const }
  if (action.kind === 'answer') {
    const verdict = evaluateResponse(turn.text, 'eos', answerTo(state.task.fault))
    return ended('answered', { kind: 'answer', verdict })
  }
  const end = turns >= horizon ? 'horizon' : null
  if (action.kind === 'invalid')
    return { state: { ...state, turns, end }, event: { kind: 'invalid' }, observation: invalidText }
  const { area } = action
  if (breaks) return ended('environment_failure', { kind: 'failure', area })
  const gate = gates[area]
  if (gate !== undefined && state.known[gate] === undefined) {
    const event = { kind: 'check' as const, area, reply: 'locked' as const }
    return { state: { ...state, turns, end }, event, observation: lockedText(area, gate) }
  }
  const reply: Finding = area === state.task.fault ? 'fault' : 'fine'
  return {
    state: { ...state, known: { ...state.known, [area]: reply }, turns, end },
    event: { kind: 'check', area, reply },
    observation: findingText(area, reply),
  }
}

/** The state that a prefix of agent turns leads to: what a branch starts from. The recorded turns did not break. */
export function stateAfter(task: DeskTask, turns: readonly AgentTurn[], horizon: number): DeskState {
  return turns.reduce((state, turn) => step(state, turn, horizon, false).state, openingState(task))
}

/**
 * Name of a state: the task and what is known of it. Order of checks, repeated, locked and invalid turns leave no trace,
 * so rollouts that know the same meet in one state; the turns left before the horizon are not part of it.
 */
export function stateKey({ task, known }: Pick<DeskState, 'task' | 'known'>): string {
  const found = areas.flatMap((area) => (known[area] === undefined ? [] : [`${area}=${known[area]}`]))
  return `desk:${task.id}|${found.join(',')}`
}

/** The areas that may still be at fault: one alone once the fault is found or the others are fine. */
export function suspects({ task, known }: Pick<DeskState, 'task' | 'known'>): Area[] {
  const found = areas.find((area) => known[area] === 'fault')
  return found === undefined ? task.candidates.filter((area) => known[area] === undefined) : [found]
}
