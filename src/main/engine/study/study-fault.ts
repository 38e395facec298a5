/** What cannot be evaluated: a record of a study that is missing, doubled or contradicts another one. */
export type StudyFaultKind =
  | 'missing_row'
  | 'unknown_row'
  | 'repeated_row'
  | 'missing_field'
  | 'length_mismatch'
  | 'non_finite'
  | 'repeated_context_differs'
  | 'incomplete_factorial'
  | 'no_rows'

export class StudyFault extends Error {
  override readonly name = 'StudyFault'
  readonly kind: StudyFaultKind
  /** Document or row id at fault, where there is one. */
  readonly id: string | undefined

  constructor(kind: StudyFaultKind, message: string, id?: string) {
    super(id === undefined ? message : `${message} (row ${id})`)
    this.kind = kind
    this.id = id
  }
}

/** Rows by id. Throws StudyFault `repeated_row` where an id stands twice. */
export function byId<T extends { readonly id: string }>(what: string, rows: readonly T[]): Map<string, T> {
  const map = new Map<string, T>()
  for (const row of rows) {
    if (map.has(row.id)) throw new StudyFault('repeated_row', `${what} stands twice`, row.id)
    map.set(row.id, row)
  }
  return map
}

/** Takes a row out of the map, so that what remains at the end is what nobody asked for. */
export function take<T>(what: string, rows: Map<string, T>, id: string): T {
  const row = rows.get(id)
  if (row === undefined) throw new StudyFault('missing_row', `${what} is missing`, id)
  rows.delete(id)
  return row
}

/** Throws StudyFault `unknown_row` when rows remain. */
export function requireAllTaken(what: string, rows: ReadonlyMap<string, unknown>): void {
  for (const id of rows.keys()) throw new StudyFault('unknown_row', `${what} belongs to no row of the corpus`, id)
}

export function requireFinite(what: string, value: number, id: string): number {
  if (!Number.isFinite(value)) throw new StudyFault('non_finite', `${what} is ${value}`, id)
  return value
}
