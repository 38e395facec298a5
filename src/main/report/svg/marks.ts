/** Marker shapes and text sizes shared by every chart. A role is told by its shape as well as by its colour. */
import type { Role } from './chart.ts'
import { coordinate, element } from './element.ts'

export const textSize = 12
export const smallTextSize = 11

/** The class that carries the role's colour; the page's style sheet says which. */
export function roleClass(role: Role): string {
  return `role-${role}`
}

/** Reward a circle, rubric a square, reference a triangle, policy a diamond, critic a triangle on its tip, what belongs to no role a cross. */
export function marker(role: Role, x: number, y: number, radius: number, hollow = false): string {
  const className = `mark ${roleClass(role)}${hollow ? ' hollow' : ''}`
  const path = (...points: readonly (readonly [number, number])[]) =>
    element('path', {
      class: className,
      d: `${points.map(([dx, dy], index) => `${index === 0 ? 'M' : 'L'}${coordinate(x + dx)} ${coordinate(y + dy)}`).join('')}Z`,
    })
  const r = radius
  switch (role) {
    case 'reward':
      return element('circle', { class: className, cx: x, cy: y, r })
    case 'rubric':
      return element('rect', { class: className, x: x - 0.9 * r, y: y - 0.9 * r, width: 1.8 * r, height: 1.8 * r })
    case 'reference':
      return path([0, -1.2 * r], [1.15 * r, 0.85 * r], [-1.15 * r, 0.85 * r])
    case 'policy':
      return path([0, -1.3 * r], [1.3 * r, 0], [0, 1.3 * r], [-1.3 * r, 0])
    case 'critic':
      return path([0, 1.2 * r], [1.15 * r, -0.85 * r], [-1.15 * r, -0.85 * r])
    case 'neutral': {
      const [left, right, up, down] = [x - 1.1 * r, x + 1.1 * r, y - 1.1 * r, y + 1.1 * r].map(coordinate)
      return element('path', {
        class: `cross ${roleClass(role)}`,
        d: `M${left} ${up}L${right} ${down}M${left} ${down}L${right} ${up}`,
      })
    }
  }
}
