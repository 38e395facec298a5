/** What score, reward and generate share: open a checkpoint on a device, read and encode the rows. */
import { join } from 'node:path'
import type { StageContext } from '../engine/learn/stage-context.ts'
import type { LengthLimits } from '../rows/encode.ts'
import type { CommandContext } from './context.ts'
import type { ComputeOptions, LimitOptions } from './flags.ts'

export async function openModel(
  context: CommandContext,
  { model, device, threads }: ComputeOptions & { readonly model: string },
): Promise<StageContext> {
  const { openStage } = await import('../engine/learn/stage-context.ts')
  return openStage({ base: model, device, threads, weightCache: join(context.home, 'cache') })
}

/** Said once the input is known to be good, so that a refusal stays a single line. */
export function nameDevice({ note }: CommandContext, { device }: StageContext): void {
  note(`device ${device.name}, ${device.threads} threads (${device.reason})`)
}

/** The user's limits, and never more than the checkpoint has positions for. */
export function limitsWithin(stage: StageContext, options: LimitOptions): LengthLimits {
  return {
    promptTokens: options.maxPromptTokens,
    completionTokens: options.maxCompletionTokens,
    contextTokens: Math.min(options.maxContextTokens, stage.base.config.maxPositions),
  }
}
