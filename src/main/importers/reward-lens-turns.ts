/** Turns of a recorded rollout: texts always, ids and log-probabilities where they were recorded, cut by the loss mask. */
import { BadInput } from '../../shared/bad-input.ts'
import type { TurnRole } from '../../shared/trajectory.ts'
import { payloadOf, type TableRow } from './reward-lens-tables.ts'
import type { ImportedTurn } from './rollout-row.ts'

const roles: Readonly<Record<string, TurnRole>> = {
  assistant: 'assistant',
  tool: 'tool',
  environment: 'tool',
  user: 'user',
  system: 'system',
}

export interface RecordedTurns {
  readonly list: readonly ImportedTurn[]
  /** Of the last action; null where it is not recorded. */
  readonly truncated: boolean | null
  readonly fields: ReadonlySet<string>
  /** Turns without token ids. */
  readonly withoutIds: number
}

export function turnsOfRecord(rows: readonly TableRow[]): RecordedTurns {
  const fields = new Set<string>()
  const list: ImportedTurn[] = []
  let truncated: boolean | null = null
  let withoutIds = 0
  for (const row of rows) {
    const payload = payloadOf(row)
    const role =
      typeof row.value.role === 'string' && Object.hasOwn(roles, row.value.role) ? roles[row.value.role]! : null
    if (role === null)
      throw new BadInput(row.file, `role is ${JSON.stringify(row.value.role)?.slice(0, 40)}`, row.where)
    const text = row.value.text ?? payload.text
    if (typeof text !== 'string') throw new BadInput(row.file, 'text is missing', row.where)
    fields.add('text')
    const ids = numbers(row, payload.token_ids, 'token_ids')
    if (ids === null) withoutIds++
    else fields.add('token_ids')
    if (role === 'assistant' && typeof payload.truncated === 'boolean') truncated = payload.truncated
    const lists = Object.entries({ logprobs: 'logprobs_sampling', train_logprobs: 'logprobs_train' }).flatMap(
      ([ours, theirs]) => {
        const values = numbers(row, payload[theirs], theirs)
        if (values === null) return []
        if (values.length !== ids?.length)
          throw new BadInput(
            row.file,
            `${theirs} has ${values.length} numbers for ${ids?.length ?? 'no'} token_ids`,
            row.where,
          )
        fields.add(theirs)
        return [[ours, values] as const]
      },
    )
    const reward = payload.step_score ?? null
    if (reward !== null) fields.add('step_score')
    const turn: ImportedTurn = {
      role,
      text,
      ...(ids === null ? {} : { token_ids: ids }),
      ...Object.fromEntries(lists),
      ...(typeof reward === 'number' && role === 'assistant' ? { reward } : {}),
    }
    list.push(...cutByMask(row, turn, payload.loss_mask, fields))
  }
  return { list, truncated, fields, withoutIds }
}

function numbers(row: TableRow, value: unknown, name: string): readonly number[] | null {
  if (value === null || value === undefined) return null
  if (Array.isArray(value) && value.every((item) => typeof item === 'number' && Number.isFinite(item)))
    return value as number[]
  throw new BadInput(row.file, `${name} is not a list of numbers`, row.where)
}

/** Tokens of an assistant turn that the loss does not see are observations; the turn's reward stays with its last part. */
function cutByMask(row: TableRow, turn: ImportedTurn, mask: unknown, fields: Set<string>): ImportedTurn[] {
  if (mask === null || mask === undefined) return [turn]
  const ids = turn.token_ids
  if (!Array.isArray(mask) || mask.length !== ids?.length)
    throw new BadInput(row.file, 'loss_mask is not one value a token', row.where)
  fields.add('loss_mask')
  if (turn.role !== 'assistant' || mask.every(Boolean)) return [turn]
  const { text: _whole, reward, ...rest } = turn
  const starts = mask.flatMap((seen, k) => (k === 0 || Boolean(seen) !== Boolean(mask[k - 1]) ? [k] : []))
  return starts.map((from, part) => {
    const to = starts[part + 1] ?? mask.length
    const cut = Object.entries(rest).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.slice(from, to) : value,
    ])
    const last = part === starts.length - 1
    return {
      ...Object.fromEntries(cut),
      role: mask[from] ? 'assistant' : 'tool',
      ...(last && reward !== undefined ? { reward } : {}),
    } as ImportedTurn
  })
}
