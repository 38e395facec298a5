/** The parts of a single-step study from files: prompts encoded as a trainer would, the policy, and the reward model. Computes nothing. */
import type { GroupConfig } from '../../../../shared/training-config.ts'
import { encodePrompts } from '../../../rows/encode.ts'
import { roleFromPeft } from '../../learn/role.ts'
import { encoderFor, limitsOf, type StageContext } from '../../learn/stage-context.ts'
import type { StudyParts } from './single-step-study.ts'

interface StudyFiles {
  readonly rows: Parameters<typeof encodePrompts>[1]
  /** Where the rows are from, for messages. */
  readonly file: string
  readonly initAdapter: string
  readonly rewardAdapter: string
  readonly config: GroupConfig
  readonly batches: number
}

/** Throws `BadInput` for rows over the token limits and for adapters that do not fit the base. */
export function openStudy(
  context: StageContext,
  { rows, file, initAdapter, rewardAdapter, config, batches }: StudyFiles,
): StudyParts {
  const prompts = encodePrompts(encoderFor(context, file, limitsOf(config)), rows)
  const policy = roleFromPeft(initAdapter, context.base)
  const reward = roleFromPeft(rewardAdapter, context.base, 'score')
  return { context, policy, reward, prompts, config, batches }
}
