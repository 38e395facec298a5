/** Rollouts as users of OpenRLHF write them: JSONL with `prompt`, `response` or `text`, `reward`, and a `global_step` where there are several. */
import { BadInput } from '../../shared/bad-input.ts'
import { readJsonl } from '../rows/jsonl.ts'
import { dumpFiles } from './dump-files.ts'
import { GroupNames } from './group-names.ts'
import type { RolloutSource } from './rollout-row.ts'
import { absentFromText, gradeOf, otherFields, stepOf, textOf, textRow } from './text-rollout.ts'

const own = ['prompt', 'text', 'response', 'reward', 'global_step']

export function openrlhfSource(path: string): RolloutSource {
  const files = dumpFiles(path, { name: /(\d{1,15})?\.jsonl$/, expected: 'JSONL file' })
  const found = new Set<string>()
  const notes = new Set<string>()
  return {
    inputs: files,
    async *rows() {
      const groups = new GroupNames()
      let count = 0
      for (const file of files) {
        const whole = await textHoldsPrompt(file)
        if (whole) notes.add('every text begins with its prompt, which is taken off: the rest is the response')
        for await (const { line, value } of readJsonl(file)) {
          for (const name of Object.keys(value)) if ((value[name] ?? null) !== null) found.add(name)
          const prompt = textOf(file, line, value, 'prompt')
          const step = stepOf(file, line, value, 'global_step')
          const prefix = step === null ? '' : `step-${step}/`
          yield textRow({
            id: `${prefix}rollout-${count++}`,
            group: groups.of(prefix, prompt),
            iteration: step,
            prompt,
            response: responseOf(file, line, value, whole ? prompt.length : 0),
            reward: gradeOf(file, line, value, 'reward'),
            recorded: { openrlhf: otherFields(value, own) },
          })
        }
      }
    },
    summary: () => ({
      found: [...found],
      absent: [
        ...['prompt', 'response', 'text', 'reward', 'global_step'].filter((name) => !found.has(name)),
        ...absentFromText,
      ],
      notes: [
        'the file holds texts and no token ids: only outcomes can be audited as they stand',
        'rollouts of one step with equal prompts are one group',
        ...notes,
      ],
      checks: [],
    }),
  }
}

function responseOf(file: string, line: number, value: Readonly<Record<string, unknown>>, prompt: number): string {
  if ('response' in value && 'text' in value)
    throw new BadInput(file, 'has both response and text; leave one of them out', `line ${line}`)
  if (!('response' in value) && !('text' in value))
    throw new BadInput(file, 'has neither response nor text; a line has prompt, response and reward', `line ${line}`)
  return 'response' in value ? textOf(file, line, value, 'response') : textOf(file, line, value, 'text').slice(prompt)
}

/** `text` is the response for some and prompt with response for others: the second where it is so in every line. */
async function textHoldsPrompt(file: string): Promise<boolean> {
  for await (const { value } of readJsonl(file)) {
    const { prompt, text } = value
    if (typeof prompt !== 'string' || typeof text !== 'string' || prompt === '' || !text.startsWith(prompt))
      return false
  }
  return true
}
