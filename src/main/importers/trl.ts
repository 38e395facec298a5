/** TRL's GRPO completions (`log_completions`): `completions/completions_{step}.parquet`, text only. */
import { BadInput } from '../../shared/bad-input.ts'
import { dumpFiles } from './dump-files.ts'
import { GroupNames } from './group-names.ts'
import { type Cell, openParquet } from './parquet/parquet-rows.ts'
import { centredRule, grpoRule, ReplayedAdvantages } from './replayed-advantages.ts'
import type { ImportedRow, RolloutSource } from './rollout-row.ts'
import { absentFromText, textRow } from './text-rollout.ts'

const own = ['step', 'prompt', 'completion', 'advantage']

export function trlSource(path: string): RolloutSource {
  const files = dumpFiles(path, {
    name: /^completions_(\d{1,15})\.parquet$/,
    subfolder: 'completions',
    expected: 'completions of TRL (completions_NNNNN.parquet)',
  })
  const found = new Set<string>()
  const notes = new Set<string>()
  const replay = new ReplayedAdvantages()
  return {
    inputs: files,
    async *rows() {
      const groups = new GroupNames()
      let count = 0
      for (const file of files) {
        const parquet = openParquet(file)
        try {
          const rewards = rewardColumns(file, parquet.columns)
          if (rewards.length > 1)
            notes.add(
              `reward is the sum of ${rewards.join(', ')}, as TRL adds them with weights of 1; a function that abstained adds nothing`,
            )
          let at = 0
          for await (const cells of parquet.rows()) {
            for (const [name, cell] of cells) if (cell !== null && !Number.isNaN(cell)) found.add(name)
            const row = rowOf(file, at++, cells, rewards, groups, count++)
            replay.add(row.group, row.reward, row.advantage as number | undefined)
            yield row
          }
        } finally {
          parquet.close()
        }
      }
    },
    summary: () => {
      const check = replay.check([grpoRule(1, 1e-4), centredRule])
      return {
        found: [...found],
        absent: [...own.filter((name) => !found.has(name)), ...absentFromText],
        notes: [
          'TRL logs texts without special tokens: only outcomes can be audited as they stand',
          'rollouts of one step with equal prompts are one group',
          ...notes,
        ],
        checks: check === null ? [] : [check],
      }
    },
  }
}

/** Between completion and advantage stands a column a reward function. */
function rewardColumns(file: string, columns: ReturnType<typeof openParquet>['columns']): string[] {
  const names = columns.map(({ name }) => name)
  for (const name of ['prompt', 'completion']) {
    if (!names.includes(name))
      throw new BadInput(
        file,
        `is no completions file of TRL: it has no text column ${name}, only ${names.join(', ').slice(0, 200) || 'none'}`,
      )
  }
  return columns.filter(({ name, numeric }) => numeric && !own.includes(name)).map(({ name }) => name)
}

function rowOf(
  file: string,
  at: number,
  cells: ReadonlyMap<string, Cell>,
  rewardNames: readonly string[],
  groups: GroupNames,
  count: number,
): ImportedRow {
  const text = (name: string): string => {
    const value = cells.get(name)
    if (typeof value !== 'string') throw new BadInput(file, `${name} is not a text`, `row ${at}`)
    return value
  }
  const step = cells.get('step') ?? null
  if (step !== null && (!Number.isSafeInteger(step) || (step as number) < 0))
    throw new BadInput(file, 'step is not a whole number from 0 on', `row ${at}`)
  const prefix = step === null ? '' : `step-${step}/`
  const [prompt, response] = [text('prompt'), text('completion')]
  const columns = rewardNames.map((name) => [name, cells.get(name) ?? null] as const)
  const grades = columns
    .map(([, cell]) => cell)
    .filter((cell) => typeof cell === 'number' && !Number.isNaN(cell)) as number[]
  const reward = grades.length === 0 ? null : grades.reduce((sum, grade) => sum + grade, 0)
  const advantage = cells.get('advantage') ?? null
  if (reward !== null && !Number.isFinite(reward))
    throw new BadInput(file, 'a reward is not a finite number', `row ${at}`)
  return textRow({
    id: `${prefix}rollout-${count}`,
    group: groups.of(prefix, prompt),
    iteration: step as number | null,
    prompt,
    response,
    reward,
    ...(typeof advantage === 'number' && Number.isFinite(advantage) ? { advantage } : {}),
    recorded: { trl: otherCells(cells) },
  })
}

/** Each reward function's own grade and what else was logged; a grade that was not given is null. */
function otherCells(cells: ReadonlyMap<string, Cell>): Record<string, Cell> {
  const others = [...cells].filter(([name]) => !own.includes(name))
  return Object.fromEntries(others.map(([name, cell]) => [name, Number.isNaN(cell) ? null : cell]))
}
