/**
 * Full-parameter pretraining on the engine that trains adapters: every base tensor is a learned input, and the loss is
 * the cross-entropy of every token of a document but its first.
 */
import type { LearnedState } from '../checkpoint/learned-state.ts'
import type { Tokenizer } from '../checkpoint/tokenizer.ts'
import { type BatchShape, layOutBatch, type TokenRow } from '../nn/batch.ts'
import type { LearnedLayout, Model } from '../nn/model.ts'
import { sftObjective } from '../nn/objectives.ts'
import { type AdamWState, adamwStep, newAdamWState } from '../optim/adamw.ts'
import { clipGradient } from '../optim/clip.ts'
import { NonFinite } from '../optim/non-finite.ts'
import { learningRate } from '../optim/schedule.ts'
import { tensor } from '../runtime/session.ts'
import type { OfficeDocument } from './office-corpus.ts'
import type { PretrainRecipe } from './recipe.ts'

/** Token columns of a batch are rounded up to this, so that few graphs are compiled. */
const columnStep = 16

/**
 * A document as the model reads it. A chat is encoded exactly as a demonstration of the study: template and answer
 * apart, the turn's end behind it. A note ends with the end of text.
 */
export function documentIds(document: OfficeDocument, tokenizer: Tokenizer, endOfTextId: number): number[] {
  if (document.kind === 'note') return [...tokenizer.encode(document.text), endOfTextId]
  const prompt = tokenizer.renderChat([{ role: 'user', content: document.prompt }])
  return [...tokenizer.encode(prompt), ...tokenizer.encode(document.answer), tokenizer.eosId!]
}

/** A row whose "response" is all of the document but its first token: the response loss is then the document's. */
export function wholeRow(ids: readonly number[]): TokenRow {
  return { promptIds: ids.slice(0, 1), completionIds: ids.slice(1) }
}

export function wholeRowShape(rows: readonly TokenRow[], maxPositions: number): BatchShape {
  const tokens = rows.reduce((longest, row) => Math.max(longest, 1 + row.completionIds.length), 2)
  if (tokens > maxPositions) throw new RangeError(`a document of ${tokens} tokens exceeds ${maxPositions} positions`)
  return { batch: rows.length, prompt: 1, response: Math.ceil(tokens / columnStep) * columnStep - 1 }
}

/** Weights in training with their optimizer. One step is a mean over all predicted tokens of its rows. */
export class Pretraining {
  readonly state: LearnedState
  private readonly model: Model
  private readonly recipe: PretrainRecipe
  private readonly layout: LearnedLayout
  private readonly adam: AdamWState
  private readonly gradient: LearnedState
  private done = 0

  constructor(model: Model, state: LearnedState, recipe: PretrainRecipe) {
    this.model = model
    this.state = state
    this.recipe = recipe
    this.layout = { specs: state.specs, loraScale: 0 }
    this.adam = newAdamWState(state.data.length)
    this.gradient = { specs: state.specs, data: new Float32Array(state.data.length) }
  }

  /** @returns the mean negative log-likelihood of a token, in nats, before the step; throws NonFinite */
  async step(documents: readonly (readonly number[])[]): Promise<number> {
    const { recipe, state, gradient } = this
    const loss = await documentLoss(this.model, this.layout, state, documents, gradient)
    if (!Number.isFinite(loss)) throw new NonFinite('loss', 0, loss, `step ${this.done + 1}`)
    clipGradient(gradient.data, state.specs, recipe.gradientClip)
    adamwStep(state.data, gradient.data, this.adam, {
      learningRate: learningRate(this.done, recipe.steps, recipe.learningRate, recipe),
      weightDecay: recipe.weightDecay,
      beta2: recipe.beta2,
    })
    this.done++
    return loss
  }
}

/** The loss over whole documents, and its gradient with respect to every base tensor where `gradient` is given. */
export async function documentLoss(
  model: Model,
  layout: LearnedLayout,
  state: LearnedState,
  documents: readonly (readonly number[])[],
  gradient?: Parameters<Model['evaluate']>[6],
): Promise<number> {
  const rows = documents.map(wholeRow)
  const batch = layOutBatch(rows, wholeRowShape(rows, model.base.config.maxPositions))
  const predicted = rows.reduce((total, row) => total + row.completionIds.length, 0)
  const extra = { inverse_denominator: tensor('float32', Float32Array.of(1 / predicted), []) }
  const { loss } = await model.evaluate('document', sftObjective, layout, state, batch, extra, gradient)
  return loss![0]!
}
