/** The group stages: source of rollouts, roles, judge and method of a job, handed to the loop. */
import { readFileSync } from 'node:fs'
import { BadInput } from '../../../shared/bad-input.ts'
import type { DeskEnvironment } from '../../../shared/group-run.ts'
import type { EncodedRow } from '../../../shared/rows.ts'
import type { GroupJob, StageSummary } from '../../../shared/stage.ts'
import { encodePrompts } from '../../rows/encode.ts'
import { readRows } from '../../rows/read-rows.ts'
import { promptRowSchema } from '../../rows/row-schemas.ts'
import type { Moments } from '../credit/datc/policy-moments.ts'
import { readDeskTasks } from '../desk/desk-rows.ts'
import { DeskRolloutSource } from '../desk/desk-source.ts'
import type { DeskTask } from '../desk/tasks.ts'
import { learnFromGroups } from './group-loop.ts'
import { RewardJudge } from './reward-judge.ts'
import { roleFromPeft } from './role.ts'
import type { RolloutSource } from './rollout-source.ts'
import { sha256 } from './run-record.ts'
import { singleTurnSource } from './single-turn-source.ts'
import { beginStage, encoderFor, limitsOf, type StageContext } from './stage-context.ts'
import { PhaseClock, type StageRun } from './stage-run.ts'
import { readsGradients, readsMoments, strategyFor } from './strategies/strategy-for.ts'

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
  const policy = roleFromPeft(job.initAdapter, context.base)
  if (policy.head !== 'none')
    throw new BadInput(job.initAdapter, `has a ${policy.head} head; ${stage} starts from a policy adapter without one`)
  const reward = job.rewardAdapter === undefined ? null : roleFromPeft(job.rewardAdapter, context.base, 'score')
  const clock = new PhaseClock()
  const judge = reward === null ? null : new RewardJudge(context, reward, { gradients: readsGradients(stage), clock })
  const moments: Moments | undefined = readsMoments(stage, config) ? new WeakMap() : undefined
  const learning = {
    ...job,
    context,
    run,
    clock,
    strategy: strategyFor(stage, { context, config, policy, judge, critic: job.critic, moments, clock }),
    policy,
    frozen: reward === null ? {} : { reward },
    identity: { train_data: sha256(readFileSync(job.train)) },
  }
  return job.environment === undefined
    ? learnFromGroups({ ...learning, source: await promptSource(job, context, judge, clock, moments) })
    : learnFromGroups({ ...learning, source: await deskSource(job, job.environment, context, judge, clock) })
}

async function promptSource(
  { stage, train, config }: GroupJob,
  context: StageContext,
  judge: RewardJudge | null,
  clock: PhaseClock,
  moments: Moments | undefined,
): Promise<RolloutSource<EncodedRow>> {
  if (judge === null) throw new BadInput('--reward-adapter', `is needed: ${stage} learns from a reward model`)
  const rows = await readRows(train, promptRowSchema)
  const prompts = encodePrompts(encoderFor(context, train, limitsOf(config)), rows)
  return singleTurnSource(judge, prompts, config, clock, moments)
}

async function deskSource(
  { train }: GroupJob,
  { rules }: DeskEnvironment,
  context: StageContext,
  judge: RewardJudge | null,
  clock: PhaseClock,
): Promise<RolloutSource<DeskTask>> {
  if (rules.reward_model_weight !== 0 && judge === null)
    throw new BadInput('--reward-adapter', 'is needed: the rules give the score of a reward model a weight')
  return new DeskRolloutSource({ context, tasks: await readDeskTasks(train), rules, judge, clock })
}
