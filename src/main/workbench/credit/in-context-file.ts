/** What scored examples do to the next token, of a file of prompts, with a policy that is open already. */
import type { InContextReading } from '../../../shared/in-context.ts'
import { promptsOf, readInContext } from '../../engine/credit/in-context/in-context.ts'
import { roleFromPeft } from '../../engine/learn/role.ts'
import type { StageContext } from '../../engine/learn/stage-context.ts'
import { encodeScoredExamples } from '../../rows/encode-scored-examples.ts'
import { readScoredExamples } from '../../rows/scored-example-rows.ts'

export interface InContextRequest {
  /** Rows `{id, examples, prompt}`, JSONL. */
  readonly input: string
  /** PEFT folder; absent: the base alone. */
  readonly adapter?: string
}

/** @throws BadInput naming the file and row, or the adapter, that is wrong */
export async function inContextOfFile(
  { base, tokenizer, model }: StageContext,
  { input, adapter }: InContextRequest,
  onPasses?: (done: number, total: number) => void,
): Promise<InContextReading> {
  const placed = await readScoredExamples(input)
  const encoder = { file: input, tokenizer, maxPositions: base.config.maxPositions, modelDir: base.dir }
  const rows = placed.map((one) => encodeScoredExamples(encoder, one))
  const policy = adapter === undefined ? null : roleFromPeft(adapter, base)
  const passes = rows.reduce((sum, row) => sum + promptsOf(row, base.config.layers).length, 0)
  onPasses?.(0, passes)
  const read = await readInContext(
    model,
    policy,
    rows,
    (id) => (tokenizer.isDecodable(id) ? tokenizer.decode([id]) : ''),
    (done) => onPasses?.(done, passes),
  )
  return { rows: read, forward_passes: passes }
}
