/**
 * Preference pairs for a reward model of the desk: after the same checks, the answer that fits over one that does not. The
 * prompt is the conversation so far, and both answers are sentences of the study's grammar.
 */
import type { ChatMessage } from '../../../shared/rows.ts'
import { PythonRandom } from '../random/python-random.ts'
import { type Certainty, response } from '../study/grammar.ts'
import { demonstrate } from './demonstrations.ts'
import type { Episode } from './episode.ts'
import { answerTo, areas } from './grammar.ts'
import type { DeskTask } from './tasks.ts'

export interface DeskPair {
  readonly id: string
  readonly family: string
  readonly split: DeskTask['split']
  readonly prompt: readonly ChatMessage[]
  readonly chosen: string
  readonly rejected: string
}

/** `perTask` pairs of each task: another area's answer three times in four, else the right one with unsupported certainty. */
export function deskPairs(tasks: readonly DeskTask[], perTask: number, seed: number): DeskPair[] {
  const random = new PythonRandom(seed)
  return tasks.flatMap((task) =>
    Array.from({ length: perTask }, (_, i): DeskPair => {
      const episode = demonstrate(task, 'direct', random)
      const certainty = (): Certainty => (random.random() < 0.5 ? 1 : 0)
      const polite = () => random.random() < 0.5
      const others = areas.filter((area) => area !== task.fault)
      const wrong = random.random() < 0.75
      return {
        id: `${task.id}-B${i}`,
        family: task.family,
        split: task.split,
        prompt: conversationBefore(episode),
        chosen: response(answerTo(task.fault), certainty(), polite()),
        rejected: wrong
          ? response(answerTo(others[random.randrange(others.length)]!), certainty(), polite())
          : response(answerTo(task.fault), 2, polite()),
      }
    }),
  )
}

/** Everything said before the answer. */
function conversationBefore({ state, turns }: Episode): ChatMessage[] {
  return [
    { role: 'user', content: state.task.prompt },
    ...turns.flatMap(({ agent, observation }): ChatMessage[] =>
      observation === null
        ? []
        : [
            { role: 'assistant', content: agent.text },
            { role: 'tool', content: observation },
          ],
    ),
  ]
}
