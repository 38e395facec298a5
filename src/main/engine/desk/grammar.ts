/**
 * Everything the desk's agent and environment may say, in the words of the office corpus: six checks, their observations,
 * and the study's own answers. Which sentence is true in an episode is `environment.ts`'s affair.
 */
import { type Action, actions, refusals } from '../study/grammar.ts'
import { evaluateResponse } from '../study/rubric.ts'

/** What can be checked. `areas[action]` is where the study's `action` helps. */
export const areas = ['queue', 'cable', 'sound', 'wifi', 'document', 'session'] as const
export type Area = (typeof areas)[number]

/** What a check finds; exactly one area of an episode is at fault. */
export type Finding = 'fault' | 'fine'

interface Wording {
  /** As in "A check of the …." */
  readonly name: string
  /** What a request complains about when it may be this area's fault. */
  readonly thing: string
  readonly fault: string
  readonly fine: string
}

const wordings: Readonly<Record<Area, Wording>> = {
  queue: { name: 'queue', thing: 'printer', fault: 'The queue shows as paused.', fine: 'The queue is open.' },
  cable: { name: 'cable', thing: 'screen', fault: 'The cable is unplugged.', fine: 'The cable is connected.' },
  sound: { name: 'sound', thing: 'headset', fault: 'The sound is off.', fine: 'The sound is on.' },
  wifi: { name: 'Wi-Fi', thing: 'laptop', fault: 'The Wi-Fi is off.', fine: 'The Wi-Fi is on.' },
  document: {
    name: 'document',
    thing: 'editor',
    fault: 'The document shows unsaved changes.',
    fine: 'The document shows no changes.',
  },
  session: { name: 'session', thing: 'portal', fault: 'The session has expired.', fine: 'The session is live.' },
}

/** What must be known before an area can be seen: a rule of the office, the same in every episode. */
export const gates: Readonly<Partial<Record<Area, Area>>> = { queue: 'wifi', sound: 'cable', document: 'session' }

export const thingOf = (area: Area): string => wordings[area].thing
export const answerTo = (area: Area): Action => actions[areas.indexOf(area)]!

export const checkText = (area: Area): string => `A check of the ${wordings[area].name}.`
export const findingText = (area: Area, finding: Finding): string => wordings[area][finding]
/** The observation of a check whose gate is not known yet: it says what to check first, and nothing else. */
export const lockedText = (area: Area, gate: Area): string =>
  `The ${wordings[area].name} is closed before a check of the ${wordings[gate].name}.`
export const invalidText = 'This is not a check.'

/** All that the environment can say. */
export const observations: readonly string[] = [
  ...areas.flatMap((area) => [findingText(area, 'fault'), findingText(area, 'fine')]),
  ...areas.flatMap((area) => (gates[area] === undefined ? [] : [lockedText(area, gates[area])])),
  invalidText,
]

const checks: ReadonlyMap<string, Area> = new Map(areas.map((area) => [checkText(area), area]))

export type DeskAction =
  | { readonly kind: 'check'; readonly area: Area }
  /** A sentence of the study's grammar, or one of its declared refusals: it ends the episode. */
  | { readonly kind: 'answer' }
  /** Anything else. */
  | { readonly kind: 'invalid' }

/** Exact matches only, as the rubric's: a sentence that nearly fits is none. */
export function readAction(text: string): DeskAction {
  const area = checks.get(text)
  if (area !== undefined) return { kind: 'check', area }
  const known = refusals.includes(text) || evaluateResponse(text, 'eos', 0).recognized
  return { kind: known ? 'answer' : 'invalid' }
}
