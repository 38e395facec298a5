/**
 * OfficeHelpPrefs-v1: 240 families of simulated office-support requests with constructed preferences, demonstrations,
 * rollout prompts and factorial probes. A seed moves families between the splits and changes nothing else.
 */
import { createHash } from 'node:crypto'
import { PythonRandom } from '../random/python-random.ts'
import { type Action, actions, contexts, response } from './grammar.ts'

export const defaultCorpusSeed = 49

export type Split = 'train' | 'validation' | 'test' | 'probe'
export type Population = 'pair' | 'probe' | 'warmstart' | 'rollout'

/** One prompt, without any label. */
export interface Page {
  readonly document_id: string
  readonly family: string
  readonly split: Split
  readonly population: Population
  readonly prompt: string
  /** SHA-256 of the prompt's UTF-8 bytes. */
  readonly content_sha256: string
}

export interface PairLabel {
  readonly document_id: string
  readonly expected_action: number
  readonly chosen: string
  readonly rejected: string
}
export interface ProbeLabel {
  readonly document_id: string
  readonly expected_action: number
  readonly candidate_response: string
  readonly candidate_correct: boolean
  readonly candidate_polite: boolean
}
export type GoldLabel = PairLabel | ProbeLabel

export interface WarmLabel {
  readonly document_id: string
  readonly response: string
}

/** The five populations. `pages` and `labels` hold the 1,200 pairs, then the 80 probes. */
export interface Corpus {
  readonly seed: number
  readonly pages: readonly Page[]
  readonly labels: readonly GoldLabel[]
  readonly warm: readonly Page[]
  readonly warm_labels: readonly WarmLabel[]
  readonly rollouts: readonly Page[]
}

const familiesPerAction = 40
const familyCount = familiesPerAction * actions.length
const probeContexts = 20
const request = 'Give one relevant next step without claiming a guaranteed fix.'

export function textSha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex')
}

/** The action that helps in the context of a pair, demonstration or rollout row; null for any other id. */
export function expectedActionOf(documentId: string): Action | null {
  const family = /^OH(\d{3})-/.exec(documentId)?.[1]
  return family === undefined ? null : (actions[Math.floor(Number(family) / familiesPerAction)] ?? null)
}

/**
 * Split of each family 0..239: per action 28 train, 6 validation, 6 test, by six shuffles of one CPython generator.
 */
export function splitFamilies(seed: number): Exclude<Split, 'probe'>[] {
  const random = new PythonRandom(seed)
  const assignment = new Array<Exclude<Split, 'probe'>>(familyCount)
  for (const action of actions) {
    const families = Array.from({ length: familiesPerAction }, (_, i) => action * familiesPerAction + i)
    for (const [position, family] of random.shuffle(families).entries()) {
      assignment[family] = position < 28 ? 'train' : position < 34 ? 'validation' : 'test'
    }
  }
  return assignment
}

/** The whole corpus. Same seed, same bytes. Throws RangeError where the seed is not a safe integer. */
export function generateCorpus(seed: number = defaultCorpusSeed): Corpus {
  const pages: Page[] = []
  const labels: GoldLabel[] = []
  const warm: Page[] = []
  const warm_labels: WarmLabel[] = []
  const rollouts: Page[] = []

  splitFamilies(seed).forEach((split, index) => {
    const family = `OH${String(index).padStart(3, '0')}`
    const action = actions[Math.floor(index / familiesPerAction)]!
    for (let variant = 0; variant < 5; variant++) {
      const document_id = `${family}-P${variant}`
      pages.push(page(document_id, family, split, prompt(family, action, 'preference card', variant), 'pair'))
      labels.push({ document_id, expected_action: action, ...preference(action, wrongAction(action, index), variant) })
    }
    if (split !== 'train') return
    const document_id = `${family}-SFT`
    warm.push(page(document_id, family, split, prompt(family, action, 'demonstration', 7), 'warmstart'))
    warm_labels.push({ document_id, response: response(action, 1, index % 2 === 0) })
    for (let variant = 0; variant < 4; variant++) {
      const text = prompt(family, action, 'live rollout request', variant + 11)
      rollouts.push(page(`${family}-RL${variant}`, family, split, text, 'rollout'))
    }
  })

  for (let index = 0; index < probeContexts; index++) addProbeSquare(index, pages, labels)
  return { seed, pages, labels, warm, warm_labels, rollouts }
}

/** Five contrasts: what is preferred, and over what. */
function preference(action: Action, wrong: Action, variant: number): { chosen: string; rejected: string } {
  switch (variant) {
    case 0:
      return { chosen: response(action, 1, false), rejected: response(wrong, 2, false) }
    case 1:
      return { chosen: response(action, 0, false), rejected: response(wrong, 1, true) }
    case 2:
      return { chosen: response(action, 1, true), rejected: response(wrong, 0, false) }
    case 3:
      return { chosen: response(action, 1, false), rejected: response(action, 2, true) }
    default:
      return { chosen: response(action, 0, true), rejected: response(wrong, 1, false) }
  }
}

/** One context with four candidates: correct or not, polite or not, all under the same prompt. */
function addProbeSquare(index: number, pages: Page[], labels: GoldLabel[]): void {
  const family = `PROBE${String(index).padStart(2, '0')}`
  const action = actions[index % actions.length]!
  const wrong = actions[(action + 1) % actions.length]!
  const text = `New remote support context ${family}. ${contexts[action]} A previous unrelated case was closed. ${request}`
  for (const correct of [true, false]) {
    for (const polite of [false, true]) {
      const document_id = `${family}-C${Number(correct)}-P${Number(polite)}`
      pages.push(page(document_id, family, 'probe', text, 'probe'))
      labels.push({
        document_id,
        expected_action: action,
        candidate_response: response(correct ? action : wrong, 1, polite),
        candidate_correct: correct,
        candidate_polite: polite,
      })
    }
  }
}

function wrongAction(action: Action, family: number): Action {
  return actions[(action + 1 + (family % 5)) % actions.length]!
}

function prompt(family: string, action: Action, kind: string, variant: number): string {
  const headings = [
    `Help request ${family}, note ${variant}.`,
    `Case ${family}, message ${variant}.`,
    `Desk incident ${family}, record ${variant}.`,
  ]
  return `${headings[variant % headings.length]} Source: ${kind}. ${contexts[action]} ${request}`
}

function page(document_id: string, family: string, split: Split, text: string, population: Population): Page {
  return { document_id, family, split, population, prompt: text, content_sha256: textSha256(text) }
}

export function isPairLabel(label: GoldLabel): label is PairLabel {
  return 'chosen' in label
}
