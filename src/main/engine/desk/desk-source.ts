/** The desk as a trainer's source of rollouts: tasks of a file, episodes of the policy, rewards by the desk's prices. */
import type { DeskRules } from '../../../shared/desk-rules.ts'
import { learnedSha256 } from '../checkpoint/learned-state.ts'
import { trainedRow } from '../credit/trained-row.ts'
import { groupShape } from '../learn/group-shape.ts'
import type { RewardJudge } from '../learn/reward-judge.ts'
import type { RolloutSource } from '../learn/rollout-source.ts'
import { sha256 } from '../learn/run-record.ts'
import type { StageContext } from '../learn/stage-context.ts'
import type { PhaseClock } from '../learn/stage-run.ts'
import type { DeskTrajectory } from './episode.ts'
import { observations } from './grammar.ts'
import { deskFrame, playEpisodes, startOf } from './rollouts.ts'
import type { DeskTask } from './tasks.ts'

export interface DeskSourceParts {
  readonly context: StageContext
  readonly tasks: readonly DeskTask[]
  readonly rules: DeskRules
  /** Needed where the rules give its score a weight. */
  readonly judge: RewardJudge | null
  readonly clock: PhaseClock
}

export class DeskRolloutSource implements RolloutSource<DeskTask> {
  readonly tasks: readonly DeskTask[]
  readonly longest: RolloutSource['longest']
  readonly identity: RolloutSource['identity']
  private readonly parts: DeskSourceParts

  constructor(parts: DeskSourceParts) {
    const { context, tasks, rules, judge } = parts
    this.parts = parts
    this.tasks = tasks
    const frame = deskFrame(context)
    const prompts = tasks.map(({ prompt }) => frame.request(prompt).length)
    const reply = Math.max(...observations.map((text) => frame.observation(text).length))
    const tokens = Math.min(rules.max_context_tokens, context.base.config.maxPositions)
    this.longest = {
      prompt: Math.max(...prompts),
      completion: Math.min(tokens - Math.min(...prompts), rules.horizon * (rules.max_turn_tokens + reply)),
    }
    this.identity = {
      source: 'desk',
      rules: sha256(JSON.stringify(rules)),
      ...(judge !== null && { reward: learnedSha256(judge.role.state) }),
    }
  }

  collect(
    ...[policy, tasks, groupSize, uniform]: Parameters<RolloutSource<DeskTask>['collect']>
  ): Promise<DeskTrajectory[]> {
    const { context, rules, judge, clock } = this.parts
    const starts = tasks.flatMap((task, place) =>
      Array.from({ length: groupSize }, (_, i) => startOf(task, `${task.id}/${place}/${i}`, `${task.id}/${place}`)),
    )
    return playEpisodes(
      {
        context,
        rules,
        policy,
        score: judge === null ? null : (trajectories) => this.judged(judge, trajectories),
        choice: { kind: 'sample', temperature: 1, uniform },
        uniform,
        clock,
      },
      starts,
    )
  }

  private async judged(judge: RewardJudge, trajectories: readonly DeskTrajectory[]): Promise<number[]> {
    const rows = trajectories.map((trajectory) => trainedRow(trajectory, 'rollouts'))
    const shape = groupShape(this.parts.context, rows, this.longest)
    return (await judge.read(rows, shape)).map(({ score }) => score)
  }
}
