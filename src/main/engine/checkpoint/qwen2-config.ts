/** Reads and writes config.json of a Qwen2 checkpoint; whatever the engine does not compute is refused by name. */
import { BadInput } from '../../../shared/bad-input.ts'
import type { Qwen2Config } from './base-model.ts'
import { isJsonObject, type JsonObject } from './input-file.ts'

/** Far above any model; keeps a damaged number from becoming an endless loop over layers. */
const MAX_LAYERS = 1024
const MAX_SIZE = 2 ** 31 - 1

/**
 * @param path of config.json, for errors
 * @throws BadInput naming the key that is missing, out of range, or asks for something that is not Qwen2
 */
export function parseQwen2Config(json: JsonObject, path: string): Qwen2Config {
  checkArchitecture(json, path)
  checkUnsupported(json, path)

  const count = (key: string, limit = MAX_SIZE): number => {
    const value = json[key]
    if (value === undefined) throw new BadInput(path, `the key ${key} is missing`)
    if (!Number.isSafeInteger(value) || (value as number) < 1 || (value as number) > limit) {
      throw new BadInput(path, `${key} must be a whole number from 1 to ${limit}, not ${JSON.stringify(value)}`)
    }
    return value as number
  }
  const hiddenSize = count('hidden_size')
  const heads = count('num_attention_heads')
  const kvHeads = count('num_key_value_heads')
  if (heads % kvHeads !== 0) {
    throw new BadInput(path, `num_attention_heads ${heads} is not a multiple of num_key_value_heads ${kvHeads}`)
  }
  const givenHeadDim = json.head_dim !== undefined && json.head_dim !== null
  if (!givenHeadDim && hiddenSize % heads !== 0) {
    throw new BadInput(path, `hidden_size ${hiddenSize} is not a multiple of num_attention_heads ${heads}`)
  }
  const headDim = givenHeadDim ? count('head_dim') : hiddenSize / heads
  if (headDim % 2 !== 0) {
    throw new BadInput(path, `a head of ${headDim} dimensions is odd; rotary embedding needs an even number`)
  }
  return {
    hiddenSize,
    intermediateSize: count('intermediate_size'),
    layers: count('num_hidden_layers', MAX_LAYERS),
    heads,
    kvHeads,
    headDim,
    vocabSize: count('vocab_size'),
    rmsNormEps: positive(json.rms_norm_eps, 'rms_norm_eps', path),
    ropeTheta: readRopeTheta(json, path),
    maxPositions: count('max_position_embeddings'),
    tied: readTied(json, path),
  }
}

function checkArchitecture(json: JsonObject, path: string): void {
  if (json.model_type !== 'qwen2') {
    throw new BadInput(path, `model_type is ${JSON.stringify(json.model_type ?? null)}; only "qwen2" can be opened`)
  }
  const { architectures } = json
  if (architectures === undefined || architectures === null) return
  if (!Array.isArray(architectures) || architectures.length !== 1 || architectures[0] !== 'Qwen2ForCausalLM') {
    throw new BadInput(
      path,
      `architectures is ${JSON.stringify(architectures)}; only ["Qwen2ForCausalLM"] can be opened`,
    )
  }
}

function checkUnsupported(json: JsonObject, path: string): void {
  const { hidden_act: act, layer_types: layerTypes } = json
  if (act !== undefined && act !== 'silu') {
    throw new BadInput(path, `hidden_act ${JSON.stringify(act)} is not computed; only "silu" is`)
  }
  if (json.attention_dropout !== undefined && json.attention_dropout !== null && json.attention_dropout !== 0) {
    throw new BadInput(path, `attention_dropout ${JSON.stringify(json.attention_dropout)} is not computed; set it to 0`)
  }
  const slidingLayer = Array.isArray(layerTypes) && layerTypes.some((type: unknown) => type !== 'full_attention')
  // A window without `use_sliding_window` is not in use: transformers reads it so too.
  if ((json.use_sliding_window === true && json.sliding_window !== null) || slidingLayer) {
    throw new BadInput(path, 'sliding-window attention is in use (use_sliding_window, layer_types); it is not computed')
  }
  if (json.use_mrope === true) throw new BadInput(path, 'use_mrope is not computed')
  if (json.quantization_config !== undefined && json.quantization_config !== null) {
    throw new BadInput(path, 'quantization_config: quantized weights are not read; use the F32, F16 or BF16 checkpoint')
  }
  for (const key of ['rope_scaling', 'rope_parameters']) checkRope(json[key], key, path)
}

function checkRope(value: unknown, key: string, path: string): void {
  if (value === undefined || value === null) return
  if (!isJsonObject(value)) throw new BadInput(path, `${key} must be an object`)
  const type = value.rope_type ?? value.type ?? 'default'
  if (type !== 'default') {
    throw new BadInput(
      path,
      `${key} of type ${JSON.stringify(type)} is not computed; only the default rotary embedding is`,
    )
  }
  if ((value.partial_rotary_factor ?? 1) !== 1) throw new BadInput(path, `${key}.partial_rotary_factor is not computed`)
}

/** transformers 4 writes `rope_theta`, transformers 5 `rope_parameters: {rope_theta}`; where both stand they must agree. */
function readRopeTheta(json: JsonObject, path: string): number {
  const nested = isJsonObject(json.rope_parameters) ? json.rope_parameters.rope_theta : undefined
  if (json.rope_theta !== undefined && nested !== undefined && json.rope_theta !== nested) {
    throw new BadInput(path, `rope_theta ${json.rope_theta} and rope_parameters.rope_theta ${nested} disagree`)
  }
  return positive(json.rope_theta ?? nested, 'rope_theta', path)
}

/** Qwen2's own default is untied. */
function readTied(json: JsonObject, path: string): boolean {
  const value = json.tie_word_embeddings ?? false
  if (typeof value !== 'boolean') throw new BadInput(path, 'tie_word_embeddings must be true or false')
  return value
}

function positive(value: unknown, key: string, path: string): number {
  if (value === undefined) throw new BadInput(path, `the key ${key} is missing`)
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) {
    throw new BadInput(path, `${key} must be a positive number, not ${JSON.stringify(value)}`)
  }
  return value
}

export interface ConfigExtras {
  readonly eosIds: readonly number[]
  readonly bosId?: number
  readonly padId?: number
  readonly dtype: 'F32' | 'BF16'
}

/** config.json in the spelling of transformers 4, which transformers 5 reads as well. */
export function qwen2ConfigJson(config: Qwen2Config, extras: ConfigExtras): JsonObject {
  return {
    architectures: ['Qwen2ForCausalLM'],
    attention_dropout: 0,
    ...(extras.bosId === undefined ? {} : { bos_token_id: extras.bosId }),
    eos_token_id: extras.eosIds[0],
    ...(config.headDim * config.heads === config.hiddenSize ? {} : { head_dim: config.headDim }),
    hidden_act: 'silu',
    hidden_size: config.hiddenSize,
    initializer_range: 0.02,
    intermediate_size: config.intermediateSize,
    max_position_embeddings: config.maxPositions,
    max_window_layers: config.layers,
    model_type: 'qwen2',
    num_attention_heads: config.heads,
    num_hidden_layers: config.layers,
    num_key_value_heads: config.kvHeads,
    ...(extras.padId === undefined ? {} : { pad_token_id: extras.padId }),
    rms_norm_eps: config.rmsNormEps,
    rope_theta: config.ropeTheta,
    sliding_window: null,
    tie_word_embeddings: config.tied,
    torch_dtype: extras.dtype === 'F32' ? 'float32' : 'bfloat16',
    use_cache: true,
    use_sliding_window: false,
    vocab_size: config.vocabSize,
  }
}
