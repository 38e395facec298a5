/** The corpus audit as lines of name and value, nothing left out. */
import type { Table } from '../../main/report/section.ts'
import { count } from '../words/index.ts'

export function auditLines(audit: Readonly<Record<string, unknown>>): readonly (readonly [string, string])[] {
  return Object.entries(audit).map(([name, value]) => [name.replaceAll('_', ' '), auditValue(value)] as const)
}

export function auditTable(audit: Readonly<Record<string, unknown>>): Table {
  return {
    caption: 'Audit of the corpus',
    columns: [{ label: 'Audited' }, { label: 'Value' }],
    rows: auditLines(audit).map((cells) => ({ cells })),
  }
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
