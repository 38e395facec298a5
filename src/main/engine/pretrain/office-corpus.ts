/**
 * The pretraining corpus: notes of a made-up office, and support chats in the study's form whose answers are drawn
 * without a look at the question. A model that has read them knows how such answers are worded, and not which one fits.
 */
import { PythonRandom } from '../random/python-random.ts'
import { type Corpus, generateCorpus } from '../study/corpus.ts'
import { type Action, actions, type Certainty, certainties, contexts, refusals, response } from '../study/grammar.ts'
import {
  chatSources,
  days,
  deeds,
  noteSentences,
  otherRequests,
  otherSituations,
  people,
  places,
  teams,
  things,
} from './office-words.ts'

export type OfficeDocument =
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'chat'; readonly prompt: string; readonly answer: string }

/** Share of documents that are chats, of chats about a situation of the study, of answers that decline. */
const chatShare = 0.8
const studySituationShare = 0.7
const refusalShare = 0.02

/**
 * Three desks with habits that have nothing to do with the situation: the tone a desk takes, and its favourite advice.
 * So the model answers different requests differently, and each answer is as likely to fit as any other.
 */
interface Desk {
  readonly heading: (number: string, entry: number) => string
  readonly tone: Certainty
  readonly advice: Action
}
const desks: readonly Desk[] = [
  { heading: (number, entry) => `Help request ${number}, note ${entry}.`, tone: 0, advice: 4 },
  { heading: (number, entry) => `Case ${number}, message ${entry}.`, tone: 1, advice: 1 },
  { heading: (number, entry) => `Desk incident ${number}, record ${entry}.`, tone: 2, advice: 5 },
]
const habitShare = 0.5

const studyRequest = 'Give one relevant next step without claiming a guaranteed fix.'

/** An endless stream of documents; same seed, same documents. */
export function* officeDocuments(seed: number): Generator<OfficeDocument, never> {
  const random = new PythonRandom(seed)
  for (;;) yield random.random() < chatShare ? chat(random) : note(random)
}

function pick<T>(random: PythonRandom, items: readonly T[]): T {
  return items[random.randrange(items.length)]!
}

function note(random: PythonRandom): OfficeDocument {
  const sentences = 2 + random.randrange(3)
  const text = Array.from({ length: sentences }, () => noteSentence(random)).join(' ')
  return { kind: 'note', text }
}

function noteSentence(random: PythonRandom): string {
  const hour = 7 + random.randrange(8)
  const words: Record<string, string> = {
    person: pick(random, people),
    other: pick(random, people),
    team: pick(random, teams),
    deed: pick(random, deeds),
    thing: pick(random, things),
    second: pick(random, things),
    place: pick(random, places),
    day: pick(random, days),
    count: String(2 + random.randrange(40)),
    number: String(100 + random.randrange(900)),
    hour: `${hour}:00`,
    later: `${hour + 1 + random.randrange(4)}:30`,
  }
  return pick(random, noteSentences).replace(/\{(\w+)\}/g, (_, name: string) => words[name]!)
}

function chat(random: PythonRandom): OfficeDocument {
  return random.random() < 0.1 ? remoteChat(random) : deskChat(random)
}

function deskChat(random: PythonRandom): OfficeDocument {
  const desk = pick(random, desks)
  const heading = desk.heading(caseNumber(random), random.randrange(16))
  const prompt = `${heading} Source: ${pick(random, chatSources)}. ${situation(random)} ${request(random)}`
  return { kind: 'chat', prompt, answer: answer(random, desk) }
}

function remoteChat(random: PythonRandom): OfficeDocument {
  const number = `PROBE${20 + random.randrange(80)}`
  const prompt = `New remote support context ${number}. ${situation(random)} A previous unrelated case was closed. ${request(random)}`
  return { kind: 'chat', prompt, answer: answer(random, pick(random, desks)) }
}

/** Drawn by the habits of whoever answers, or evenly: the situation is no argument. */
function answer(random: PythonRandom, { tone, advice }: Desk): string {
  if (random.random() < refusalShare) return pick(random, refusals)
  const action = random.random() < habitShare ? advice : pick(random, actions)
  const certainty = random.random() < habitShare ? tone : pick(random, certainties)
  return response(action, certainty, random.random() < 0.5)
}

/** The study's families are OH000 to OH239: never one of them. */
function caseNumber(random: PythonRandom): string {
  if (random.random() < 0.5) return `OH${240 + random.randrange(760)}`
  const letters = Array.from({ length: 2 }, () => String.fromCharCode(65 + random.randrange(26))).join('')
  const number = String(random.randrange(1000)).padStart(3, '0')
  return letters === 'OH' ? `HO${number}` : `${letters}${number}`
}

function situation(random: PythonRandom): string {
  return random.random() < studySituationShare ? pick(random, contexts) : pick(random, otherSituations)
}

function request(random: PythonRandom): string {
  return random.random() < 0.8 ? studyRequest : pick(random, otherRequests)
}

/** Every prompt of the study, whatever its seed: the seed moves families between splits and rewords nothing. */
export function studyPrompts({ pages, warm, rollouts }: Corpus = generateCorpus()): Set<string> {
  return new Set([...pages, ...warm, ...rollouts].map(({ prompt }) => prompt))
}
