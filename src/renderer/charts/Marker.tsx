/** One data mark: a shape that tells its role without colour. */
import type { Role } from '../../main/report/svg/chart.ts'

interface MarkerProps {
  readonly role: Role
  readonly x: number
  readonly y: number
  readonly radius: number
  readonly colour: string
  readonly hollow?: boolean
}

export function Marker({ role, x, y, radius: r, colour, hollow = false }: MarkerProps) {
  const paint = hollow
    ? { fill: 'var(--paper)', stroke: colour, strokeWidth: 1.8 }
    : { fill: colour, stroke: 'var(--paper)', strokeWidth: 1 }
  switch (role) {
    case 'reward':
      return <circle cx={x} cy={y} r={r} {...paint} />
    case 'rubric':
      return <rect x={x - 0.9 * r} y={y - 0.9 * r} width={1.8 * r} height={1.8 * r} {...paint} />
    case 'reference':
      return <path d={polygon(x, y, r, [0, -1.2, 1.15, 0.85, -1.15, 0.85])} {...paint} />
    case 'policy':
      return <path d={polygon(x, y, r, [0, -1.3, 1.3, 0, 0, 1.3, -1.3, 0])} {...paint} />
    case 'critic':
      return <path d={polygon(x, y, r, [0, 1.2, 1.15, -0.85, -1.15, -0.85])} {...paint} />
    case 'neutral':
      return (
        <path
          d={`M${x - r} ${y - r}L${x + r} ${y + r}M${x - r} ${y + r}L${x + r} ${y - r}`}
          fill="none"
          stroke={colour}
          strokeWidth={1.8}
        />
      )
  }
}

function polygon(x: number, y: number, r: number, corners: readonly number[]): string {
  const parts: string[] = []
  for (let at = 0; at < corners.length; at += 2) {
    parts.push(`${at === 0 ? 'M' : 'L'}${x + corners[at]! * r} ${y + corners[at + 1]! * r}`)
  }
  return `${parts.join('')}Z`
}
