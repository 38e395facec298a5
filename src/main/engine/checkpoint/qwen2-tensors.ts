/** Which tensors a Qwen2 checkpoint must hold, with their shapes, and the seven projections of every layer. */
import type { Qwen2Config } from './base-model.ts'

export interface NamedShape {
  readonly name: string
  readonly shape: readonly number[]
}

export interface Projection {
  /** `model.layers.N.<self_attn|mlp>.<q|k|v|o|gate|up|down>_proj`; weight `[out, in]` stands under `path.weight`. */
  readonly path: string
  readonly in: number
  readonly out: number
  /** q, k and v have a bias of `[out]`; the others have none. */
  readonly hasBias: boolean
}

/** Layer by layer: q, k, v, o, gate, up, down. */
export function projections(config: Qwen2Config): Projection[] {
  const { hiddenSize: hidden, intermediateSize: inner, heads, kvHeads, headDim } = config
  const query = heads * headDim
  const keyValue = kvHeads * headDim
  const list: Projection[] = []
  for (let layer = 0; layer < config.layers; layer++) {
    const attention = `model.layers.${layer}.self_attn`
    const mlp = `model.layers.${layer}.mlp`
    list.push(
      { path: `${attention}.q_proj`, in: hidden, out: query, hasBias: true },
      { path: `${attention}.k_proj`, in: hidden, out: keyValue, hasBias: true },
      { path: `${attention}.v_proj`, in: hidden, out: keyValue, hasBias: true },
      { path: `${attention}.o_proj`, in: query, out: hidden, hasBias: false },
      { path: `${mlp}.gate_proj`, in: hidden, out: inner, hasBias: false },
      { path: `${mlp}.up_proj`, in: hidden, out: inner, hasBias: false },
      { path: `${mlp}.down_proj`, in: inner, out: hidden, hasBias: false },
    )
  }
  return list
}

export const EMBEDDING = 'model.embed_tokens.weight'
export const LM_HEAD = 'lm_head.weight'

/** Every tensor of the checkpoint, `lm_head.weight` only where the model is untied. */
export function baseTensors(config: Qwen2Config): NamedShape[] {
  const { hiddenSize: hidden, vocabSize: vocab } = config
  const list: NamedShape[] = [{ name: EMBEDDING, shape: [vocab, hidden] }]
  for (let layer = 0; layer < config.layers; layer++) {
    list.push(
      { name: `model.layers.${layer}.input_layernorm.weight`, shape: [hidden] },
      { name: `model.layers.${layer}.post_attention_layernorm.weight`, shape: [hidden] },
    )
  }
  for (const projection of projections(config)) {
    list.push({ name: `${projection.path}.weight`, shape: [projection.out, projection.in] })
    if (projection.hasBias) list.push({ name: `${projection.path}.bias`, shape: [projection.out] })
  }
  list.push({ name: 'model.norm.weight', shape: [hidden] })
  if (!config.tied) list.push({ name: LM_HEAD, shape: [vocab, hidden] })
  return list
}

export function sameShape(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((size, i) => size === b[i])
}
