/** The group stages on single-turn prompts: roles, judge and method of a job, handed to the loop. */
import { readFileSync } from 'node:fs'
import { BadInput } from '../../../shared/bad-input.ts'
import type { GroupJob, StageSummary } from '../../../shared/stage.ts'
import { encodePrompts } from '../../rows/encode.ts'
import { readRows } from '../../rows/read-rows.ts'
import { promptRowSchema } from '../../rows/row-schemas.ts'
import { learnFromGroups } from './group-loop.ts'
import { RewardJudge } from './reward-judge.ts'
import { roleFromPeft } from './role.ts'
import { sha256 } from './run-record.ts'
import { singleTurnSource } from './single-turn-source.ts'
import { beginStage, encoderFor, limitsOf } from './stage-context.ts'
import { PhaseClock, type StageRun } from './stage-run.ts'
import { readsGradients, strategyFor } from './strategies/strategy-for.ts'

export async function runGroup(
  job: GroupJob,
  run: StageRun,
): Promise<StageSummary & { status: 'finished' | 'interrupted' }> {
  const { config, stage } = job
  if (config.temperature !== 1)
    throw new BadInput(
      'temperature',
      `${stage} samples at 1, where the recorded log-probabilities are those of the behaviour policy; not ${config.temperature}`,
    )
  const context = await beginStage(job, run)
  const prompts = encodePrompts(
    encoderFor(context, job.train, limitsOf(config)),
    await readRows(job.train, promptRowSchema),
  )
  const policy = roleFromPeft(job.initAdapter, context.base)
  if (policy.head !== 'none')
    throw new BadInput(job.initAdapter, `has a ${policy.head} head; ${stage} starts from a policy adapter without one`)
  const reward = roleFromPeft(job.rewardAdapter, context.base, 'score')
  const clock = new PhaseClock()
  const judge = new RewardJudge(context, reward, { gradients: readsGradients(stage), clock })
  return learnFromGroups({
    ...job,
    context,
    run,
    clock,
    source: singleTurnSource(judge, prompts, config, clock),
    strategy: strategyFor(stage, config, judge, clock),
    policy,
    frozen: { reward },
    identity: { train_data: sha256(readFileSync(job.train)) },
  })
}
