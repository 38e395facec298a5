/** The model shapes that are measured, and what one training step and one generation consist of. */
import type { Qwen2Config } from '../checkpoint/base-model.ts'

export const presetNames = ['tiny', 'small', 'qwen2.5-0.5b'] as const
export type PresetName = (typeof presetNames)[number]

export const figureNames = [
  'lora_step',
  'decode_b1',
  'decode_b8',
  'rm_step',
  'ppo_iteration',
  'study_estimate',
  'jvp_cost',
  'datc_overhead',
  'memory',
  'startup',
  'determinism',
] as const
export type FigureName = (typeof figureNames)[number]

export interface Preset {
  readonly name: PresetName
  readonly config: Qwen2Config
  readonly dtype: 'F32' | 'BF16'
  /** Rows of a training step. */
  readonly rows: number
  /** Timed runs of a training step; slower figures take fewer. */
  readonly repeat: number
  /** Untimed runs before them. */
  readonly warmUp: number
  /** New tokens of a generation. */
  readonly newTokens: number
  /** Measured when nothing is named. */
  readonly figures: readonly FigureName[]
}

const common = { rmsNormEps: 1e-6, ropeTheta: 1_000_000, maxPositions: 2048, tied: true }

export const presets: Readonly<Record<PresetName, Preset>> = {
  tiny: {
    name: 'tiny',
    config: {
      ...common,
      hiddenSize: 128,
      intermediateSize: 384,
      layers: 4,
      heads: 4,
      kvHeads: 2,
      headDim: 32,
      vocabSize: 1024,
    },
    dtype: 'F32',
    rows: 8,
    repeat: 12,
    warmUp: 2,
    newTokens: 64,
    figures: figureNames,
  },
  small: {
    name: 'small',
    config: {
      ...common,
      hiddenSize: 256,
      intermediateSize: 1024,
      layers: 6,
      heads: 4,
      kvHeads: 2,
      headDim: 64,
      vocabSize: 4096,
    },
    dtype: 'F32',
    rows: 8,
    repeat: 6,
    warmUp: 2,
    newTokens: 64,
    figures: figureNames,
  },
  'qwen2.5-0.5b': {
    name: 'qwen2.5-0.5b',
    config: {
      ...common,
      hiddenSize: 896,
      intermediateSize: 4864,
      layers: 24,
      heads: 14,
      kvHeads: 2,
      headDim: 64,
      vocabSize: 151_936,
      maxPositions: 32_768,
    },
    dtype: 'BF16',
    rows: 2,
    repeat: 3,
    warmUp: 1,
    newTokens: 16,
    figures: ['lora_step', 'decode_b1', 'memory'],
  },
}

/** Tokens of one supervised row. */
export const PROMPT = 72
export const RESPONSE = 24
/** Prompt tokens of the decode figures. */
export const DECODE_PROMPT = 64
/** Prompts of a PPO iteration, and sampled tokens of each. */
export const PPO_PROMPTS = 4
export const PPO_TOKENS = 64
export const RANK = 8
export const ALPHA = 16
