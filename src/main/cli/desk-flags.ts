/** What the desk's commands share: which tasks, which rules, and how their figures read. */
import { Option } from 'commander'
import { defaultDeskRules } from '../../shared/desk-rules.ts'
import type { DeskSummary } from '../engine/desk/summary.ts'
import { type DeskSplit, deskSplits } from '../engine/desk/tasks.ts'
import type { TaskChoice } from '../workbench/credit/desk.ts'
import { count, decimal, plural } from './figures.ts'
import { finiteNumber, wholeNumber } from './flags.ts'
import { facts } from './table.ts'

export interface TaskOptions {
  readonly tasks?: string
  readonly split: DeskSplit | 'all'
  readonly taskSeed: number
}

export function taskFlags(split: DeskSplit | 'all'): Option[] {
  return [
    new Option('--tasks <file>', 'task rows, as desk tasks writes them (default: those of --split)'),
    new Option('--split <name>', 'tasks of these families').choices([...deskSplits, 'all']).default(split),
    new Option('--task-seed <n>', 'seed that deals the families to the splits').argParser(wholeNumber).default(49),
  ]
}

export function taskChoice({ tasks, split, taskSeed }: TaskOptions): TaskChoice {
  return tasks === undefined ? { split, seed: taskSeed } : { tasks }
}

export interface RuleOptions {
  readonly rules?: string
  readonly horizon?: number
  readonly checkCost?: number
  readonly failureRate?: number
}

export function ruleFlags(): Option[] {
  return [
    new Option('--rules <file>', `YAML over the desk's rules: ${Object.keys(defaultDeskRules).join(', ')}`),
    new Option('--horizon <turns>', 'agent turns after which an episode is cut, 1 to 12').argParser(wholeNumber),
    new Option('--check-cost <reward>', 'paid for each check, at the turn that makes it').argParser(finiteNumber),
    new Option('--failure-rate <share>', 'chance that a check breaks the environment, 0 to 1').argParser(finiteNumber),
  ]
}

export interface EnvironmentOptions extends RuleOptions {
  readonly environment?: 'desk'
  readonly rewardAdapter?: string
}

export function environmentFlags(): Option[] {
  return [
    new Option('--environment <name>', 'sample episodes of the multi-turn desk instead of single responses').choices([
      'desk',
    ]),
    ...ruleFlags(),
  ]
}

export function summaryText(summary: DeskSummary): string {
  const share = (value: number | null) => (value === null ? '—' : `${(100 * value).toFixed(1)} %`)
  const number = (value: number | null, digits = 2) => (value === null ? '—' : decimal(value, digits))
  const { ends, success_interval: interval, reward_parts: parts } = summary
  return facts([
    [
      'rollouts',
      `${count(summary.rollouts)} in ${plural(summary.groups, 'group')}, ${plural(summary.families, 'family').replace('familys', 'families')}`,
    ],
    [
      'success',
      `${summary.successes} of ${summary.graded} (${share(summary.success_rate)}${
        interval === null ? '' : `; ${interval.map((bound) => share(bound)).join(' to ')} over families`
      })`,
    ],
    [
      'ended by',
      `answer ${ends.answered}, horizon ${ends.horizon}, token limit ${ends.token_limit}, environment failure ${ends.environment_failure}`,
    ],
    ['mean reward', number(summary.mean_reward, 4)],
    ...(parts === null
      ? []
      : [
          [
            '  made of',
            Object.entries(parts)
              .map(([name, value]) => `${name} ${number(value, 4)}`)
              .join(', '),
          ] as const,
        ]),
    ['mean turns', `${number(summary.mean_turns)}, of them ${number(summary.mean_checks)} checks`],
    [
      'agent turns',
      `invalid ${share(summary.invalid_share)}, before their gate ${share(summary.locked_share)}, repeated ${share(summary.repeated_share)}`,
    ],
  ])
}
