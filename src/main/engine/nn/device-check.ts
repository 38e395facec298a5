/**
 * The gradient self-test that a device other than the CPU must pass in this process before it may train. Losses are no
 * evidence: a kernel was seen whose loss is right and whose gradient is silently wrong.
 */
import { BadInput } from '../../../shared/bad-input.ts'
import type { BaseModel, Qwen2Config, StoredTensor } from '../checkpoint/base-model.ts'
import { emptyState, type LearnedState } from '../checkpoint/learned-state.ts'
import { loraSpecs } from '../checkpoint/lora-layout.ts'
import { baseTensors } from '../checkpoint/qwen2-tensors.ts'
import { TorchRandom } from '../random/torch-random.ts'
import type { Device } from '../runtime/device.ts'
import { tensor } from '../runtime/session.ts'
import { layOutBatch, perToken, shapeFor } from './batch.ts'
import { generate } from './generate.ts'
import { Model } from './model.ts'
import { criticObjective, ppoActorObjective, sftObjective } from './objectives.ts'
import { FrozenWeights } from './weights.ts'

/** Relative L2 distance of a gradient tensor from the CPU's. float32 kernels that differ in order reach about 1e-5. */
export const gradientTolerance = 1e-3

const config: Qwen2Config = {
  hiddenSize: 32,
  intermediateSize: 48,
  layers: 2,
  heads: 4,
  kvHeads: 2,
  headDim: 8,
  vocabSize: 64,
  rmsNormEps: 1e-6,
  ropeTheta: 10000,
  maxPositions: 64,
  tied: true,
}

/** A random decoder that exists in memory only. */
function randomBase(): BaseModel {
  const random = new TorchRandom(11)
  const values = new Map<string, Float32Array>()
  const tensors = new Map<string, StoredTensor>()
  for (const { name, shape } of baseTensors(config)) {
    const size = shape.reduce((product, dim) => product * dim, 1)
    values.set(name, random.normal(new Float32Array(size), name.endsWith('norm.weight') ? 1 : 0, 0.2))
    tensors.set(name, { name, dtype: 'F32', shape, file: '', offset: 0, length: 4 * size })
  }
  return {
    dir: '',
    config,
    tensors,
    eosIds: [1],
    eosSource: '',
    sha256: () => '',
    float32: (name) => values.get(name)!,
  }
}

export interface GradientCheck {
  readonly objective: string
  readonly tensor: string
  /** Relative L2 distance from the CPU's gradient of this tensor; for decoding the largest difference of log-probabilities. */
  readonly distance: number
}

/** Gradients of SFT, PPO's actor and the critic, and cached decoding, on `device` against the CPU's; the worst of each. */
export async function checkGradients(device: Device): Promise<GradientCheck[]> {
  const base = randomBase()
  const state: LearnedState = emptyState(loraSpecs(config, 4, { head: true }))
  new TorchRandom(12).normal(state.data, 0, 0.3)
  const rows = [5, 9, 2].map((prompt, r) => ({
    promptIds: Array.from({ length: prompt }, (_, i) => (i * 7 + r * 13) % 64),
    completionIds: Array.from({ length: 3 + 2 * r }, (_, i) => (i * 11 + r * 5) % 64),
  }))
  const batch = layOutBatch(rows, shapeFor(rows, 3))
  const each = (value: (t: number) => number) =>
    perToken(
      rows.map((row) => row.completionIds.map((_, t) => value(t))),
      batch.shape,
    )
  const objectives = {
    sft: [sftObjective, { inverse_denominator: tensor('float32', Float32Array.of(0.1), []) }],
    ppo_actor: [
      ppoActorObjective(0.2),
      { old_log_probs: each(() => -4), advantages: each((t) => (t % 2) - 0.4), weights: each(() => 0.1) },
    ],
    critic: [criticObjective(0.5), { returns: each((t) => t / 3), weights: each(() => 0.1) }],
  } as const
  const checks: GradientCheck[] = []
  for (const [name, [objective, feeds]] of Object.entries(objectives)) {
    // A policy loss does not depend on the head, so it is trained without one.
    const specs = name === 'critic' ? state.specs : state.specs.filter((spec) => !spec.name.startsWith('head.'))
    const gradientOn = async (on: Device) => {
      const data = new Float32Array(state.data.length)
      const model = new Model(new FrozenWeights(base), { device: on })
      await model.evaluate(name, objective, { specs, loraScale: 2 }, { specs, data: state.data }, batch, feeds, {
        specs,
        data,
      })
      return data
    }
    const [ours, reference] = [await gradientOn(device), await gradientOn({ ...device, name: 'cpu' })]
    const distances = specs.map(({ name: tensorName, offset, size }) => {
      let [difference, norm] = [0, 0]
      for (let i = offset; i < offset + size; i++) {
        difference += (ours[i]! - reference[i]!) ** 2
        norm += reference[i]! ** 2
      }
      return { objective: name, tensor: tensorName, distance: Math.sqrt(difference / norm) }
    })
    // A NaN is worse than any distance.
    checks.push(distances.reduce((worst, next) => (next.distance <= worst.distance ? worst : next)))
  }
  checks.push(
    await checkDecoding(
      base,
      state,
      rows.map((row) => row.promptIds),
      device,
    ),
  )
  return checks
}

/** Log-probabilities of cached decoding, which uses other kernels than training. */
async function checkDecoding(
  base: BaseModel,
  state: LearnedState,
  prompts: readonly (readonly number[])[],
  device: Device,
): Promise<GradientCheck> {
  const specs = state.specs.filter((spec) => !spec.name.startsWith('head.'))
  const on = async (where: Device) => {
    const model = new Model(new FrozenWeights(base), { device: where })
    const request = {
      prompts,
      maxNewTokens: 6,
      eosIds: [],
      choice: { kind: 'greedy' },
      batch: prompts.length,
      promptColumns: 16,
    } as const
    return (await generate(model, { specs, loraScale: 2 }, { specs, data: state.data }, request)).flatMap(
      (row) => row.logprobs,
    )
  }
  const [ours, reference] = [await on(device), await on({ ...device, name: 'cpu' })]
  const distance = Math.max(...ours.map((value, i) => Math.abs(value - reference[i]!)))
  return { objective: 'cached decoding', tensor: 'logits', distance }
}

/** @throws BadInput when the device's gradients are not the CPU's: it may then not train. */
export async function requireSoundGradients(device: Device): Promise<void> {
  if (device.name === 'cpu') return
  const checks = await checkGradients(device).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    throw new BadInput('--device', `${device.name} cannot compute here (${reason}); use --device cpu`)
  })
  for (const { objective, tensor: name, distance } of checks)
    if (!(distance <= gradientTolerance))
      throw new BadInput(
        '--device',
        `${device.name} computes wrongly (${objective}: error ${distance.toExponential(1)}); use --device cpu`,
        `tensor ${name}`,
      )
}
