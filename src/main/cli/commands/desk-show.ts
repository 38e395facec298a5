/** `recompense desk show`: episodes as a person reads them. */
import { Option } from 'commander'
import { BadInput } from '../../../shared/bad-input.ts'
import type { DeskTrajectory } from '../../engine/desk/episode.ts'
import { define } from '../command.ts'
import { decimal } from '../figures.ts'
import { inputFlag, positiveInteger } from '../flags.ts'
import { plainText } from '../plain-text.ts'
import type { Style } from '../style.ts'

interface Options {
  readonly input: string
  readonly id?: string
  readonly first: number
}

export const deskShow = define<Options>({
  name: 'show',
  summary: 'print episodes of the desk, turn by turn',
  options: [
    inputFlag('trajectories of the desk'),
    new Option('--id <row>', 'this episode alone'),
    new Option('--first <n>', 'how many from the start').argParser(positiveInteger).default(3),
  ],
  details: 'Result: episodes, the rows as they stand.',
  example: 'desk show --input /tmp/desk-rollouts.jsonl --first 1',
  run: async ({ style }, { input, id, first }) => {
    const { readDeskTrajectories } = await import('../../engine/desk/desk-rows.ts')
    const all = (await readDeskTrajectories(input)).map(({ trajectory }) => trajectory)
    const episodes = id === undefined ? all.slice(0, first) : all.filter((row) => row.id === id)
    if (episodes.length === 0) throw new BadInput(input, `has no row ${id}`)
    return { json: { episodes }, text: () => episodes.map((episode) => episodeText(style, episode)).join('\n\n') }
  },
})

function episodeText(style: Style, { id, task, turns, end, reward, success }: DeskTrajectory): string {
  const verdict =
    success === null ? style.warn('no verdict') : success ? style.good('success') : style.bad('no success')
  const said = turns.map(({ role, text = '', event, reward: paid, state_key }) => {
    const words = plainText(text)
    if (role !== 'assistant') return `  ${style.quiet(role === 'user' ? 'request ' : 'replies ')} ${words}`
    const facts = [event, paid === undefined ? undefined : decimal(paid, 2), state_key?.split('|')[1] || undefined]
    return `  ${style.strong('agent   ')} ${words}  ${style.quiet(facts.filter((fact) => fact !== undefined).join(' · '))}`
  })
  const head = `${style.strong(plainText(id))}  ${task.fault} at fault among ${task.candidates.join(', ')}`
  const foot = `  ${end}, reward ${reward === null ? 'none' : decimal(reward, 2)}, ${verdict}`
  return [head, ...said, foot].join('\n')
}
