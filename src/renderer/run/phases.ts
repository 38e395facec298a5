/** Seconds of a run by phase. `active` is the whole; what no phase accounts for is starting, saving and hashing. */
export interface Phases {
  readonly total: number
  readonly parts: readonly { readonly name: string; readonly seconds: number }[]
}

export function phasesOf(seconds: Readonly<Record<string, number>>): Phases {
  const { active, ...named } = seconds
  const parts = Object.entries(named).map(([name, spent]) => ({ name: name.replaceAll('_', ' '), seconds: spent }))
  const sum = parts.reduce((total, part) => total + part.seconds, 0)
  const rest = active === undefined ? 0 : active - sum
  return rest > 0
    ? { total: sum + rest, parts: [...parts, { name: 'starting and saving', seconds: rest }] }
    : { total: sum, parts }
}
