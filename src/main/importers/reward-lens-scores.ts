/** The grade of a recorded rollout out of its score tree: a leaf's own value, or what the trainer says that it used. */
import { BadInput } from '../../shared/bad-input.ts'
import { isJsonObject, type JsonObject } from '../engine/checkpoint/input-file.ts'
import type { TableRow } from './reward-lens-tables.ts'

/** Null where the grader abstained, whatever number stands beside that. Throws `BadInput` for a grade that is not recorded. */
export function gradeOfTree({ file, where }: TableRow, payload: JsonObject): number | null {
  const tree = payload.scores
  const fields = isJsonObject(tree) && isJsonObject(tree.fields) ? tree.fields : null
  const kind = isJsonObject(tree) && typeof tree.__type__ === 'string' ? tree.__type__.split('.').at(-1)! : ''
  if (fields === null) throw new BadInput(file, 'has no score tree', where)
  if (kind === 'Leaf') {
    const { value, abstained } = fields
    if (abstained === true || value === null) return null
    if (typeof value === 'number' && Number.isFinite(value)) return value
    throw new BadInput(file, 'its score is no number and no abstention', where)
  }
  const used = isJsonObject(payload.features) ? payload.features.trl_realised_reward : undefined
  if (typeof used === 'number' && Number.isFinite(used)) return used
  throw new BadInput(
    file,
    `its score is a ${kind || 'tree of unknown kind'}, and the record does not say what it came to; a leaf or a realised reward is read`,
    where,
  )
}
