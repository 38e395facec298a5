/** Everything that decides a pretrained model's bytes, and the recipe of the model that ships with the program. */
import type { Qwen2Config } from '../checkpoint/base-model.ts'

export interface PretrainRecipe {
  readonly name: string
  /** `vocabSize` is the size of the trained tokenizer, its three special tokens included. */
  readonly model: Qwen2Config
  readonly corpusSeed: number
  readonly weightSeed: number
  /** Documents that the tokenizer is trained on: the first ones of the corpus. */
  readonly tokenizerDocuments: number
  /** Optimizer steps of `batchRows` documents each; no document is read twice. */
  readonly steps: number
  readonly batchRows: number
  readonly initialDeviation: number
  readonly learningRate: number
  readonly warmupRatio: number
  readonly minimumLrRatio: number
  readonly weightDecay: number
  readonly beta2: number
  readonly gradientClip: number
}

export const officeTiny: PretrainRecipe = {
  name: 'office-tiny',
  model: {
    hiddenSize: 128,
    intermediateSize: 384,
    layers: 4,
    heads: 4,
    kvHeads: 2,
    headDim: 32,
    vocabSize: 1024,
    rmsNormEps: 1e-6,
    ropeTheta: 10_000,
    maxPositions: 512,
    tied: true,
  },
  corpusSeed: 2049,
  weightSeed: 2050,
  tokenizerDocuments: 8000,
  steps: 1000,
  batchRows: 16,
  initialDeviation: 0.02,
  learningRate: 3e-3,
  warmupRatio: 0.1,
  minimumLrRatio: 0.1,
  weightDecay: 0.01,
  beta2: 0.99,
  gradientClip: 1,
}
