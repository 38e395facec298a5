/**
 * The scripted colleagues whose episodes are the desk's demonstrations. Some go straight to the fault, some go round,
 * some answer too soon: what they share is the desk's language, and a policy that imitates them samples all their ways.
 */
import type { PythonRandom } from '../random/python-random.ts'
import { type Certainty, response } from '../study/grammar.ts'
import { type DeskEvent, type DeskState, suspects } from './environment.ts'
import type { Episode } from './episode.ts'
import { type Area, answerTo, areas, checkText, gates } from './grammar.ts'

export const styles = ['direct', 'eliminating', 'hopeful', 'thorough', 'wandering', 'hasty'] as const
/**
 * `direct` checks what may be at fault, gates first, until the fault is seen. `eliminating` also answers when one suspect is
 * left. `hopeful` forgets the gates and follows the hint. `thorough` checks everything first. `wandering` mixes in any check
 * at all. `hasty` answers for one of the suspects before the fault is known.
 */
export type Style = (typeof styles)[number]

/** How often each is drawn. */
const shares: Readonly<Record<Style, number>> = {
  direct: 0.2,
  eliminating: 0.1,
  hopeful: 0.2,
  thorough: 0.1,
  wandering: 0.2,
  hasty: 0.2,
}
const wanderingShare = 0.4
const hastyShare = 0.45

export function drawStyle(random: PythonRandom): Style {
  let rest = random.random()
  for (const style of styles) {
    rest -= shares[style]
    if (rest < 0) return style
  }
  return 'direct'
}

/** The next agent turn of a style. It goes by what was observed and never by the fault itself. */
export function expertTurn(style: Style, { state, turns }: Episode, random: PythonRandom): string {
  const open = suspects(state)
  const seen = areas.some((area) => state.known[area] === 'fault')
  const unknown = areas.filter((area) => state.known[area] === undefined)
  if (seen && (style !== 'thorough' || unknown.length === 0)) return answer(open[0]!, random)
  const next = open[0]!
  switch (style) {
    case 'direct':
      return checkText(gateFirst(next, state))
    case 'eliminating':
      return open.length === 1 ? answer(next, random) : checkText(gateFirst(next, state))
    case 'hopeful':
      return checkText(hintedGate(turns.at(-1)?.event) ?? next)
    case 'thorough':
      return checkText(gateFirst(unknown[random.randrange(unknown.length)]!, state))
    case 'wandering':
      return random.random() < wanderingShare
        ? checkText(areas[random.randrange(areas.length)]!)
        : checkText(gateFirst(next, state))
    case 'hasty':
      return random.random() < hastyShare
        ? answer(open[random.randrange(open.length)]!, random)
        : checkText(gateFirst(next, state))
  }
}

function gateFirst(area: Area, { known }: DeskState): Area {
  const gate = gates[area]
  return gate !== undefined && known[gate] === undefined ? gate : area
}

/** The gate that the last observation named, if it named one. */
function hintedGate(event: DeskEvent | undefined): Area | undefined {
  return event?.kind === 'check' && event.reply === 'locked' ? gates[event.area] : undefined
}

/** Rarely with the certainty that nothing supports, as a hasty writer may. */
function answer(area: Area, random: PythonRandom): string {
  const certainty: Certainty = random.random() < 0.05 ? 2 : random.random() < 0.5 ? 1 : 0
  return response(answerTo(area), certainty, random.random() < 0.5)
}
