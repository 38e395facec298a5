/** The corpus audit as lines of name and value, nothing left out. */
import { count } from '../words/index.ts'

export function auditLines(audit: Readonly<Record<string, unknown>>): readonly (readonly [string, string])[] {
  return Object.entries(audit).map(([name, value]) => [name.replaceAll('_', ' '), auditValue(value)] as const)
}

function auditValue(value: unknown): string {
  if (typeof value === 'number') return count(value)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.map(auditValue).join(', ')
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value)
      .map(([name, part]) => `${name} ${auditValue(part)}`)
      .join(' · ')
  }
  return String(value)
}
