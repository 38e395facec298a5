/** A reward gradient reaches policy logits id by id: both models must mean the same token by every id. */
import path from 'node:path'
import { BadInput } from '../../../../shared/bad-input.ts'
import type { StageContext } from '../../learn/stage-context.ts'

type Side = Pick<StageContext, 'base' | 'tokenizer'>

/** @throws BadInput naming the first id that differs */
export function requireAlignedVocabularies(actor: Side, reward: Side): void {
  const file = path.join(reward.base.dir, 'tokenizer.json')
  const refuse = (difference: string): never => {
    throw new BadInput(
      file,
      `${difference}; DATC maps the reward model's gradients to policy logits id by id and needs the actor's vocabulary`,
    )
  }
  const last = Math.max(actor.tokenizer.maxId, reward.tokenizer.maxId)
  for (let id = 0; id <= last; id++) {
    const [ours, theirs] = [tokenOf(actor, id), tokenOf(reward, id)]
    if (ours !== theirs) refuse(`id ${id} is ${theirs} here and ${ours} in ${actor.base.dir}`)
  }
  const [wanted, rows] = [actor.base.config.vocabSize, reward.base.config.vocabSize]
  if (rows < wanted) refuse(`the model has embeddings for ${rows} ids, the actor gives logits to ${wanted}`)
}

function tokenOf({ tokenizer }: Side, id: number): string {
  const bytes = tokenizer.bytesOf(id)
  if (bytes === undefined) return 'no token'
  return `${tokenizer.specialIds.has(id) ? 'special ' : ''}${JSON.stringify(Buffer.from(bytes).toString('latin1'))}`
}
