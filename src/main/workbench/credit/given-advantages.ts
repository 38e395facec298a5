/** Advantages from a file that `credit estimate --json` wrote, put onto the turns they belong to. */
import { z } from 'zod'
import { BadInput } from '../../../shared/bad-input.ts'
import type { Trajectory } from '../../../shared/trajectory.ts'
import { readTextFile } from '../../engine/checkpoint/input-file.ts'
import { parseStrictJson } from '../../engine/checkpoint/strict-json.ts'

const sizeLimit = 512 * 1024 * 1024
const index = z.int().nonnegative()
const estimateFile = z.looseObject({
  trajectories: z.array(
    z.looseObject({
      id: z.string(),
      abstained: z.boolean().optional(),
      tokens: z.array(z.looseObject({ turn: index, index, advantage: z.number() })),
    }),
  ),
})

/**
 * Rows with `advantages` in their assistant turns, one a token; a row that the estimate left out keeps none.
 * @throws BadInput naming the file and the rollout whose tokens are not those of the rows
 */
export function withAdvantagesOf(file: string, rows: readonly Trajectory[]): Trajectory[] {
  const parsed = estimateFile.safeParse(parseStrictJson(readTextFile(file, sizeLimit), file))
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw new BadInput(file, `is no result of credit estimate: ${issue?.message}`, issue?.path.join('.'))
  }
  const estimates = new Map(parsed.data.trajectories.map((one) => [one.id, one]))
  return rows.map((row) => {
    const found = estimates.get(row.id)
    if (found === undefined) throw new BadInput(file, 'has no such rollout', `row ${row.id}`)
    if (found.tokens.length === 0 && found.abstained === true) return row
    const given = new Map(found.tokens.map(({ turn, index: at, advantage }) => [`${turn} ${at}`, advantage]))
    const turns = row.turns.map((turn, k) => {
      if (turn.role !== 'assistant') return turn
      const advantages = (turn.token_ids ?? []).map((_, t) => {
        const advantage = given.get(`${k} ${t}`)
        if (advantage === undefined)
          throw new BadInput(file, `has no advantage for token ${t} of turns[${k}]`, `row ${row.id}`)
        return advantage
      })
      return { ...turn, advantages }
    })
    return { ...row, turns }
  })
}
