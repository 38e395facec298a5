/** `recompense desk tasks`: the multi-turn desk's tasks as rows. */
import { resolve } from 'node:path'
import { Option } from 'commander'
import { define } from '../command.ts'
import { type TaskOptions, taskChoice, taskFlags } from '../desk-flags.ts'
import { plural } from '../figures.ts'
import { requireWritableFile, writingTo } from '../user-path.ts'

interface Options extends TaskOptions {
  readonly out: string
}

export const deskTasks = define<Options>({
  name: 'tasks',
  summary: 'write tasks of the multi-turn desk',
  options: [new Option('--out <file>', 'JSONL file to write').makeOptionMandatory(), ...taskFlags('train')],
  details: `A task is a request that names two to four things, and the one area that is at fault. The agent may check areas
(queue, cable, sound, Wi-Fi, document, session), one a turn, and ends the episode with an answer of the OfficeHelpPrefs
grammar. Families are sets of areas; train, validation and test share none. fault is for the environment: no policy reads it.
Rows: {id, family, split, prompt, candidates, fault}. Result: file, rows, families.`,
  example: 'desk tasks --split train --out /tmp/desk-train.jsonl',
  run: async (_context, options) => {
    const { writeTasks } = await import('../../workbench/credit/desk.ts')
    const out = resolve(options.out)
    requireWritableFile(options.out)
    const written = await writingTo(out, () => writeTasks(out, taskChoice(options)))
    return {
      json: written,
      text: () => `${written.file}: ${plural(written.rows, 'task')} of ${written.families} families`,
    }
  },
})
