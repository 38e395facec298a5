/** verl's rollout files (`trainer.rollout_data_dir`): `{step}.jsonl`, text only, special tokens stripped. */
import { BadInput } from '../../shared/bad-input.ts'
import { readJsonl } from '../rows/jsonl.ts'
import { dumpFiles } from './dump-files.ts'
import { GroupNames } from './group-names.ts'
import type { RolloutSource } from './rollout-row.ts'
import { absentFromText, gradeOf, otherFields, stepOf, textOf, textRow } from './text-rollout.ts'

const own = ['input', 'output', 'score', 'step', 'uid']

export function verlSource(path: string): RolloutSource {
  const files = dumpFiles(path, { name: /^(\d{1,15})\.jsonl$/, expected: 'rollout file of verl ({step}.jsonl)' })
  const found = new Set<string>()
  const notes = new Set<string>()
  return {
    inputs: files,
    async *rows() {
      const groups = new GroupNames()
      let count = 0
      for (const file of files) {
        for await (const { line, value } of readJsonl(file)) {
          for (const name of Object.keys(value)) if ((value[name] ?? null) !== null) found.add(name)
          if (!('input' in value) || !('output' in value))
            throw new BadInput(file, 'is no rollout file of verl: a line has input, output and score', `line ${line}`)
          const [prompt, response] = [textOf(file, line, value, 'input'), textOf(file, line, value, 'output')]
          const step = stepOf(file, line, value, 'step')
          const prefix = step === null ? '' : `step-${step}/`
          const uid = typeof value.uid === 'string' && value.uid !== '' ? value.uid : null
          if (uid === null) notes.add('no uid is recorded; rollouts of one step with equal prompts are one group')
          yield textRow({
            id: `${prefix}rollout-${count++}`,
            group: uid === null ? groups.of(prefix, prompt) : `${prefix}${uid}`,
            iteration: step,
            prompt,
            response,
            reward: gradeOf(file, line, value, 'score'),
            recorded: { verl: otherFields(value, own) },
          })
        }
      }
    },
    summary: () => ({
      found: [...found],
      absent: [
        ...['input', 'output', 'gts', 'score', 'step', 'uid', 'request_id'].filter((name) => !found.has(name)),
        ...absentFromText,
      ],
      notes: [
        'verl writes texts without special tokens: prompts and responses are not those the policy saw, and only outcomes can be audited',
        ...notes,
      ],
      checks: [],
    }),
  }
}
