/** The shape that stands for a role wherever its colour does. */
import type { Role } from './svg/chart.ts'

export const roleShapes: Readonly<Record<Role, string>> = {
  reward: '●',
  rubric: '■',
  reference: '▲',
  policy: '◆',
  critic: '▼',
  neutral: '×',
}
