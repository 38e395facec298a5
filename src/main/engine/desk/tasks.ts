/**
 * The desk's tasks, from a seed. A family is a set of two to four areas that may be at fault; its requests name the things
 * concerned and never the fault. Families, not tasks, are dealt to the splits: a held-out request names a set of things
 * that no training request names together.
 */
import { PythonRandom } from '../random/python-random.ts'
import { type Area, areas, thingOf } from './grammar.ts'

export const defaultDeskSeed = 49

export const deskSplits = ['train', 'validation', 'test'] as const
export type DeskSplit = (typeof deskSplits)[number]

export interface DeskTask {
  readonly id: string
  readonly family: string
  readonly split: DeskSplit
  /** The user's message; the same for every task of the family's variant, whatever is at fault. */
  readonly prompt: string
  /** Areas that the request may be about, in the order it names their things. */
  readonly candidates: readonly Area[]
  /** The one area at fault: known to the environment only. */
  readonly fault: Area
}

/** Requests of one family differ in heading, source and order of the things. */
const variantsPerFamily = 3
const headings = ['Help request', 'Case', 'Desk incident'] as const
const entries = ['note', 'message', 'record'] as const
const sources = ['chat window', 'web form', 'paper slip'] as const
const request = 'Give one relevant next step without claiming a guaranteed fix.'

/** Families of each size that are held out, for validation and for test. */
const heldOutOfSize: Readonly<Record<number, number>> = { 2: 3, 3: 4, 4: 3 }

/** All tasks in the order of families, variants and candidates. Same seed, same tasks. */
export function deskTasks(seed: number = defaultDeskSeed): DeskTask[] {
  const random = new PythonRandom(seed)
  const families = areaSets()
  const splits = dealSplits(families, random)
  return families.flatMap((set, index) => {
    const family = `DK${String(index).padStart(2, '0')}`
    return Array.from({ length: variantsPerFamily }, (_, variant) => {
      const candidates = random.shuffle([...set])
      const things = candidates.map(thingOf).join(', ')
      const form = (index + variant) % headings.length
      const prompt = `${headings[form]} ${family}, ${entries[form]} ${variant}. Source: ${sources[variant]}. One is not fixed: ${things}. ${request}`
      return candidates.map((fault): DeskTask => {
        const id = `${family}-V${variant}-${fault}`
        return { id, family, split: splits[index]!, prompt, candidates, fault }
      })
    }).flat()
  })
}

/** Every set of two to four areas, smaller ones first: 15 + 20 + 15. */
function areaSets(): Area[][] {
  const sets = Array.from({ length: 2 ** areas.length }, (_, bits) => areas.filter((_, k) => (bits >> k) & 1))
  return [2, 3, 4].flatMap((size) => sets.filter((set) => set.length === size))
}

function dealSplits(families: readonly (readonly Area[])[], random: PythonRandom): DeskSplit[] {
  const splits = families.map((): DeskSplit => 'train')
  for (const [size, held] of Object.entries(heldOutOfSize)) {
    const members = families.flatMap((set, index) => (set.length === Number(size) ? [index] : []))
    for (const [place, index] of random
      .shuffle(members)
      .slice(0, 2 * held)
      .entries())
      splits[index] = place < held ? 'validation' : 'test'
  }
  return splits
}
