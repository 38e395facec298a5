/** How many rows one forward and backward may hold, so that memory stays bounded whatever the model's size. */
import type { Qwen2Config } from '../checkpoint/base-model.ts'

/**
 * Activations that reverse mode keeps alive for one micro-batch. Two cores gain nothing from larger ones, and every compiled
 * shape of a run keeps as much for itself.
 */
export const ACTIVATION_BUDGET_BYTES = 4e8

/** Estimated bytes that one row of `tokens` tokens keeps alive between forward and backward. */
export function rowBytes(config: Qwen2Config, tokens: number, responseTokens: number): number {
  const perToken = 14 * config.hiddenSize + 6 * config.intermediateSize + 3 * config.heads * tokens
  return 4 * (config.layers * tokens * perToken + 3 * responseTokens * config.vocabSize)
}

/** Rows of a micro-batch: `wanted` where they fit the budget, else as many as do, at least 1. */
export function microBatchRows(config: Qwen2Config, tokens: number, responseTokens: number, wanted: number): number {
  return Math.max(1, Math.min(wanted, Math.floor(ACTIVATION_BUDGET_BYTES / rowBytes(config, tokens, responseTokens))))
}
