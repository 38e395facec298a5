/** The token that stands for "nothing here" where a token is replaced: the tokenizer's PAD unless another is named. */
import path from 'node:path'
import { BadInput } from '../../../shared/bad-input.ts'
import type { StageContext } from './stage-context.ts'

/** @throws BadInput where the tokenizer has no PAD and none is named, or the id is outside the vocabulary */
export function nullTokenId({ base, tokenizer }: Pick<StageContext, 'base' | 'tokenizer'>, named?: number): number {
  const id = named ?? tokenizer.padId
  if (id === undefined)
    throw new BadInput(
      path.join(base.dir, 'tokenizer_config.json'),
      'names no pad_token to stand for nothing; name a null token',
    )
  if (!(Number.isInteger(id) && id >= 0 && id < base.config.vocabSize))
    throw new BadInput(
      named === undefined ? path.join(base.dir, 'tokenizer_config.json') : '--null-token',
      `${id} is outside the vocabulary of ${base.config.vocabSize}`,
    )
  return id
}
