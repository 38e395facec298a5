/**
 * The decoder on packed matrices, for generation with small models: q, k and v in one product, gate and up in another, the
 * low-rank branch added into the matrices, residuals added by the products themselves. A decoding step of a small model
 * costs mostly by the number of its nodes; this is the same function as `decoder.ts` in a third of them. It rounds
 * differently by a few units in the last place, is not differentiable, and training never uses it.
 */
import type { Qwen2Config } from '../checkpoint/base-model.ts'
import type { LearnedState } from '../checkpoint/learned-state.ts'
import { projections } from '../checkpoint/qwen2-tensors.ts'
import type { Value } from '../graph/emitter.ts'
import type { Graph } from '../graph/graph.ts'
import type { Tensors } from '../runtime/session.ts'
import { type Attend, type Parameters, required, rotaryTables } from './decoder.ts'
import type { LearnedLayout, Model } from './model.ts'
import { float32Bytes, inlineLimitBytes } from './weights.ts'

/** Which projections stand side by side in one matrix [in, Σ out]. A single row then multiplies it without a copy. */
const packs = {
  qkv: ['self_attn.q_proj', 'self_attn.k_proj', 'self_attn.v_proj'],
  output: ['self_attn.o_proj'],
  gateUp: ['mlp.gate_proj', 'mlp.up_proj'],
  down: ['mlp.down_proj'],
} as const
type Pack = keyof typeof packs
const packNames = Object.keys(packs) as Pack[]
const packName = (layer: number, pack: Pack) => `packed.${layer}.${pack}`

/** Small models only: a large one's packed copy would double what it holds in memory. */
export function packable(model: Model): boolean {
  return float32Bytes(model.base) <= inlineLimitBytes
}

/** The packed matrices of one learned state: what `packedHiddenStates` takes as inputs. */
export async function packWeights(model: Model, layout: LearnedLayout, state: LearnedState | null): Promise<Tensors> {
  const key = `pack ${layout.specs.length}/${layout.loraScale}/${layout.specs[0]?.shape}`
  const session = await model.compile(key, (g) => {
    const parameters = model.parameters(g, layout)
    for (let layer = 0; layer < model.base.config.layers; layer++)
      for (const pack of packNames) {
        const matrices = packs[pack].map((name) => {
          const path = `model.layers.${layer}.${name}`
          const turned = g.raw.transpose(required(parameters, `${path}.weight`), [1, 0])
          const factors = parameters.lora(path)
          if (factors === null) return turned
          const product = { transA: true, transB: true, alpha: layout.loraScale }
          return g.raw.gemm(factors.a, factors.b, product, turned)
        })
        g.output(packName(layer, pack), matrices.length === 1 ? matrices[0]! : g.raw.concat(matrices, 1))
      }
  })
  return session.run(state === null ? {} : model.views(state, ''))
}

/** Final-norm hidden states [B·T, H], as `hiddenStates`; the packed matrices are inputs of the graph. */
export function packedHiddenStates(
  g: Graph,
  config: Qwen2Config,
  parameters: Parameters,
  { ids, positions }: { readonly ids: Value; readonly positions: Value },
  attend: Attend,
  tablePositions: number,
): Value {
  const { raw } = g
  const [batch, time] = ids.shape as [number, number]
  const { heads, kvHeads, headDim, hiddenSize, intermediateSize } = config
  const tables = rotaryTables(g, config, tablePositions)
  const sizes = new Map(projections(config).map((projection) => [projection.path, projection]))
  const packed = (layer: number, pack: Pack) => {
    const parts = packs[pack].map((name) => sizes.get(`model.layers.${layer}.${name}`)!)
    return g.input(packName(layer, pack), [parts[0]!.in, parts.reduce((width, part) => width + part.out, 0)])
  }
  const norm = (x: Value, name: string) => g.rmsNorm(x, required(parameters, `${name}.weight`), config.rmsNormEps)
  let x = g.reshape(g.embed(required(parameters, 'model.embed_tokens.weight'), ids), [batch * time, hiddenSize])
  for (let layer = 0; layer < config.layers; layer++) {
    const path = `model.layers.${layer}`
    const bias = raw.concat(
      packs.qkv.map((name) => required(parameters, `${path}.${name}.bias`)),
      0,
    )
    const qkv = raw.gemm(norm(x, `${path}.input_layernorm`), packed(layer, 'qkv'), {}, bias)
    const grid = raw.reshape(qkv, [batch, time, heads + 2 * kvHeads, headDim])
    // One token a row needs no turning: [B, 1, n, D] and [B, n, 1, D] are the same numbers.
    const byHead =
      time === 1 ? raw.reshape(qkv, [batch, heads + 2 * kvHeads, 1, headDim]) : raw.transpose(grid, [0, 2, 1, 3])
    const [turning, v] = raw.split(byHead, 1, [heads + kvHeads, kvHeads])
    const turned = g.rotary(turning!, positions, tables.cos, tables.sin, tables.negativeSin)
    const [q, k] = raw.split(turned, 1, [heads, kvHeads])
    const mixed = attend(layer, q!, k!, v!)
    const attended = time === 1 ? mixed : raw.transpose(mixed, [0, 2, 1, 3])
    x = raw.gemm(raw.reshape(attended, [batch * time, heads * headDim]), packed(layer, 'output'), {}, x)
    const both = raw.gemm(norm(x, `${path}.post_attention_layernorm`), packed(layer, 'gateUp'))
    const [gate, up] = raw.split(both, 1, [intermediateSize, intermediateSize])
    x = raw.gemm(raw.mul(g.silu(gate!), up!), packed(layer, 'down'), {}, x)
  }
  return norm(x, 'model.norm')
}
