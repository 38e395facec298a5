/** What every stage opens first: the base, its tokenizer, the device, and a model ready to compute. */
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { BadInput } from '../../../shared/bad-input.ts'
import type { DeviceName, StageJob } from '../../../shared/stage.ts'
import type { Encoder, LengthLimits } from '../../rows/encode.ts'
import type { BaseModel } from '../checkpoint/base-model.ts'
import { float32File } from '../checkpoint/external-weights.ts'
import { openBase } from '../checkpoint/hf-folder.ts'
import { checkTokenizerFits, openTokenizer, type Tokenizer } from '../checkpoint/tokenizer.ts'
import { requireSoundGradients } from '../nn/device-check.ts'
import { Model } from '../nn/model.ts'
import { FrozenWeights, float32Bytes, inlineLimitBytes } from '../nn/weights.ts'
import { type Device, resolveDevice } from '../runtime/device.ts'
import type { StageRun } from './stage-run.ts'

export interface StageContext {
  readonly base: BaseModel
  readonly tokenizer: Tokenizer
  readonly device: Device
  readonly model: Model
  /** Large weights stand in one memory-mapped file: few, wide sessions instead of many. */
  readonly large: boolean
}

export interface OpenOptions {
  readonly base: string
  readonly device: DeviceName
  readonly threads: number
  /** Folder for the expanded float32 copy of a large or 16-bit checkpoint. */
  readonly weightCache: string
}

/**
 * Opens base, tokenizer and device.
 * @throws BadInput for a checkpoint or device that cannot be used, a tokenizer of another model, no room for the copy
 */
export async function openStage({ base: dir, device: name, threads, weightCache }: OpenOptions): Promise<StageContext> {
  const base = openBase(dir)
  const tokenizer = openTokenizer(dir)
  checkTokenizerFits(base, tokenizer)
  const device = resolveDevice(name, threads)
  await requireSoundGradients(device)
  const large = float32Bytes(base) > inlineLimitBytes
  if (large) mkdirSync(weightCache, { recursive: true })
  const weights = new FrozenWeights(base, large ? float32File(base, weightCache) : undefined)
  return { base, tokenizer, device, large, model: new Model(weights, { device }) }
}

/** Opens what a job of a stage process names, and says which device computes. Throws as `openStage`. */
export async function beginStage(job: StageJob, run: StageRun): Promise<StageContext> {
  const { base, device, threads, weightCache = path.join(job.runDir, 'cache') } = job
  const context = await openStage({ base, device, threads, weightCache })
  const { name, reason } = context.device
  run.report({ type: 'ready', device: name, deviceReason: reason, threads: context.device.threads })
  return context
}

/** The id that ends a chat turn: the tokenizer's own EOS, `<|im_end|>` for Qwen2 chat checkpoints. */
export function turnEndId({ base, tokenizer }: Pick<StageContext, 'base' | 'tokenizer'>): number {
  if (tokenizer.eosId === undefined)
    throw new BadInput(path.join(base.dir, 'tokenizer_config.json'), 'names no eos_token; add it')
  return tokenizer.eosId
}

export function encoderFor(context: StageContext, file: string, limits: LengthLimits): Encoder {
  const { base, tokenizer } = context
  return { file, tokenizer, eosId: turnEndId(context), vocabSize: base.config.vocabSize, limits }
}

export function limitsOf(config: {
  max_prompt_tokens: number
  max_new_tokens: number
  max_context_tokens: number
}): LengthLimits {
  return {
    promptTokens: config.max_prompt_tokens,
    completionTokens: config.max_new_tokens,
    contextTokens: config.max_context_tokens,
  }
}
