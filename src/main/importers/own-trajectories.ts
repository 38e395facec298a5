/** A trajectory file of our own format, read like any other dump: checked, counted, and given token ids where asked. */
import { closeSync } from 'node:fs'
import { BadInput } from '../../shared/bad-input.ts'
import { tokenFields } from '../../shared/trajectory.ts'
import { openInputFile } from '../engine/checkpoint/input-file.ts'
import { readJsonl } from '../rows/jsonl.ts'
import { firstFault, rowPlace } from '../rows/read-rows.ts'
import { trajectorySchema } from '../rows/trajectory-schema.ts'
import type { ImportedRow, RolloutSource } from './rollout-row.ts'

/** Throws `BadInput` for a path that leads to no file; rows are read later. */
export function trajectorySource(path: string): RolloutSource {
  closeSync(openInputFile(path).fd)
  const found = new Set<string>()
  const named = ['text', 'token_ids', ...tokenFields]
  return {
    inputs: [path],
    async *rows() {
      for await (const { line, value } of readJsonl(path)) {
        const parsed = trajectorySchema.safeParse(value)
        if (!parsed.success) throw new BadInput(path, firstFault(parsed.error), rowPlace(value.id, line))
        for (const turn of parsed.data.turns) for (const name of Object.keys(turn)) found.add(name)
        yield parsed.data as unknown as ImportedRow
      }
    },
    summary: () => ({
      found: [...found].filter((name) => name !== 'role'),
      absent: named.filter((name) => !found.has(name)),
      notes: [],
      checks: [],
    }),
  }
}
