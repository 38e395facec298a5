/** How a series is told from the others: a colour, a shape and a dash pattern, never colour alone. */
import type { Role } from '../../main/report/svg/chart.ts'

export interface Stroke {
  /** Decides the marker's shape. */
  readonly role: Role
  /** Any CSS colour. */
  readonly colour: string
  /** As in SVG; absent: a full line. */
  readonly dash?: string
}

/** As the report draws each role. */
export const roleStrokes: Readonly<Record<Role, Stroke>> = {
  reward: { role: 'reward', colour: 'var(--reward)' },
  rubric: { role: 'rubric', colour: 'var(--rubric)' },
  reference: { role: 'reference', colour: 'var(--reference)', dash: '7 3' },
  policy: { role: 'policy', colour: 'var(--policy)' },
  critic: { role: 'critic', colour: 'var(--critic)', dash: '2 3' },
  neutral: { role: 'neutral', colour: 'var(--ink)', dash: '9 3 2 3' },
}

const shapes: readonly Role[] = ['policy', 'reward', 'rubric', 'critic', 'reference', 'neutral']
/** Okabe and Ito's eight, darkened or lightened to stand on the page of either theme. */
const colours = [
  'light-dark(#0060a8, #58b4f0)',
  'light-dark(#b34700, #f09a3e)',
  'light-dark(#00735a, #3ccfa4)',
  'light-dark(#9b3d7c, #e08fc6)',
  'light-dark(#5a5f66, #b6bcc4)',
  'light-dark(#7a6400, #e3cf3a)',
  'light-dark(#3b3fa8, #a3a7ff)',
  'light-dark(#8c1c13, #ff8f84)',
]
const dashes = [undefined, '7 3', '2 3', '9 3 2 3', '12 4', '4 2 1 2', '1 4', '14 3 3 3']

/** The n-th of several runs laid over each other; the first eight differ in colour, dash and, six by six, in shape. */
export function runStroke(index: number): Stroke {
  const dash = dashes[index % dashes.length]
  return {
    role: shapes[index % shapes.length]!,
    colour: colours[index % colours.length]!,
    ...(dash === undefined ? {} : { dash }),
  }
}
