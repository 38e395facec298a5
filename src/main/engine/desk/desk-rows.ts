/** The desk's files: task rows, and trajectories of the desk read back so that they can be branched and judged again. */
import { z } from 'zod'
import { BadInput } from '../../../shared/bad-input.ts'
import { type PlacedRow, readRows, rowPlace } from '../../rows/read-rows.ts'
import { readTrajectories } from '../../rows/read-trajectories.ts'
import { rowId, text } from '../../rows/row-schemas.ts'
import { type DeskTrajectory, type Episode, openEpisode, takeTurn } from './episode.ts'
import { areas } from './grammar.ts'
import { type DeskTask, deskSplits } from './tasks.ts'

const area = z.enum(areas, `must be one of ${areas.join(', ')}`)
const taskFields = {
  id: rowId,
  family: rowId,
  split: z.enum(deskSplits, `must be one of ${deskSplits.join(', ')}`),
  candidates: z.array(area).min(1, 'is empty'),
  fault: area,
}
const faultAmongCandidates = (task: { readonly candidates: readonly string[]; readonly fault: string }) =>
  task.candidates.includes(task.fault)
const strayFault = { message: 'is not among the candidates', path: ['fault'] }

const taskSchema = z.object({ ...taskFields, prompt: text.min(1, 'is empty') }).refine(faultAmongCandidates, strayFault)
const taskOfTrajectory = z.object(taskFields).refine(faultAmongCandidates, strayFault)

/** Throws BadInput for a file that cannot be read, is empty, repeats an id, or has a row that is no task of the desk. */
export async function readDeskTasks(file: string): Promise<DeskTask[]> {
  return (await readRows(file, taskSchema)).map(({ row }) => row)
}

export interface PlayedEpisode {
  readonly trajectory: DeskTrajectory
  readonly task: DeskTask
  readonly line: number
}

/** Trajectories that the desk wrote, with their tasks. Throws BadInput for one from elsewhere. */
export async function readDeskTrajectories(file: string): Promise<PlayedEpisode[]> {
  return (await readTrajectories(file)).map(({ row, line }: PlacedRow<object>) => {
    const trajectory = row as DeskTrajectory
    const facts = taskOfTrajectory.safeParse(trajectory.task)
    const request = trajectory.turns[0]
    if (!facts.success || request?.role !== 'user' || request.text === undefined)
      throw new BadInput(file, 'is no rollout of the desk; make one with desk rollouts', rowPlace(trajectory.id, line))
    return { trajectory, task: { ...facts.data, prompt: request.text }, line }
  })
}

/**
 * The episode of the first `agentTurns` turns, rebuilt by playing them again.
 * @throws BadInput where they do not lead to the recorded states and observations, or the episode ends before
 */
export function prefixOf(
  { trajectory, task, line }: PlayedEpisode,
  agentTurns: number,
  horizon: number,
  file: string,
): Episode {
  const refuse = (problem: string): never => {
    throw new BadInput(file, problem, rowPlace(trajectory.id, line))
  }
  let episode = openEpisode(task)
  const actions = trajectory.turns.flatMap((turn, k) => (turn.role === 'assistant' ? [k] : []))
  if (agentTurns > actions.length) refuse(`has ${actions.length} agent turns, not ${agentTurns}`)
  for (const k of actions.slice(0, agentTurns)) {
    const { text: said, token_ids, logprobs, event } = trajectory.turns[k]!
    if (said === undefined || token_ids === undefined) refuse(`turns[${k}] has no text or no token_ids`)
    const finish = event === 'cut' ? ('length' as const) : ('eos' as const)
    const agent = {
      text: said!,
      finish,
      decodable: event !== 'invalid',
      token_ids: token_ids!,
      ...(logprobs && { logprobs }),
    }
    episode = takeTurn(episode, agent, horizon, false)
    const reply = trajectory.turns[k + 1]
    if (episode.state.end !== null) refuse(`ends at turns[${k}] (${episode.state.end}); nothing comes after it`)
    if (reply?.role !== 'tool' || reply.text !== episode.turns.at(-1)!.observation)
      refuse(`turns[${k + 1}] is not what the desk replies to turns[${k}]`)
  }
  return episode
}
