/**
 * Demonstrations: episodes of the scripted colleagues as trajectories of text. They name no token, so one file serves every
 * checkpoint; `train sft` renders them with the checkpoint's own chat template and learns the agent's turns alone.
 */
import { type DeskRules, defaultDeskRules, longestHorizon } from '../../../shared/desk-rules.ts'
import { PythonRandom } from '../random/python-random.ts'
import { type DeskTrajectory, type Episode, openEpisode, takeTurn, trajectoryOf } from './episode.ts'
import { drawStyle, expertTurn, type Style } from './expert.ts'
import type { DeskTask } from './tasks.ts'

export interface Demonstration extends DeskTrajectory {
  readonly style: Style
}

export interface DemonstrationOptions {
  readonly perTask: number
  readonly seed: number
  readonly rules?: DeskRules
}

/** `perTask` episodes of each task, task by task. Same tasks and seed, same rows. */
export function demonstrations(
  tasks: readonly DeskTask[],
  { perTask, seed, rules = defaultDeskRules }: DemonstrationOptions,
): Demonstration[] {
  const random = new PythonRandom(seed)
  return tasks.flatMap((task) =>
    Array.from({ length: perTask }, (_, i): Demonstration => {
      const style = drawStyle(random)
      const episode = demonstrate(task, style, random, rules.horizon)
      return { ...trajectoryOf({ id: `${task.id}-D${i}`, group: task.id, episode, prices: rules, score: null }), style }
    }),
  )
}

export function demonstrate(task: DeskTask, style: Style, random: PythonRandom, horizon = longestHorizon): Episode {
  let episode = openEpisode(task)
  while (episode.state.end === null) {
    const text = expertTurn(style, episode, random)
    episode = takeTurn(episode, { text, finish: 'eos', decodable: true }, horizon, false)
  }
  return episode
}
