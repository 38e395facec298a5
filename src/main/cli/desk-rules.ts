/** The desk's rules as flags and a file give them; loaded by the commands that play, when they run. */
import { BadInput } from '../../shared/bad-input.ts'
import { type DeskRules, defaultDeskRules } from '../../shared/desk-rules.ts'
import { deskRulesSchema } from '../../shared/desk-rules-schema.ts'
import type { DeskEnvironment } from '../../shared/group-run.ts'
import { readConfigFile } from './config-file.ts'
import type { EnvironmentOptions, RuleOptions } from './desk-flags.ts'

/** @throws BadInput naming the file or flag */
export function rulesOf({ rules: file, horizon, checkCost, failureRate }: RuleOptions): DeskRules {
  const read = file === undefined ? defaultDeskRules : readConfigFile(file, deskRulesSchema, defaultDeskRules).config
  const given = { horizon, check_cost: checkCost, failure_rate: failureRate }
  const overlaid = { ...read, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) }
  const checked = deskRulesSchema.safeParse(overlaid)
  if (checked.success) return checked.data
  const issue = checked.error.issues[0]!
  const flag = `--${String(issue.path[0]).replaceAll('_', '-')}`
  throw new BadInput(flag, issue.message.replace(/^Invalid input: /, ''))
}

/** @throws BadInput for a rule without the environment that it is a rule of, and where nothing would judge */
export function environmentOf(options: EnvironmentOptions): DeskEnvironment | undefined {
  if (options.environment !== undefined) return { name: 'desk', rules: rulesOf(options) }
  const { rules, horizon, checkCost, failureRate } = options
  const stray = Object.entries({ rules, horizon, 'check-cost': checkCost, 'failure-rate': failureRate })
  const given = stray.find(([, value]) => value !== undefined)
  if (given !== undefined) throw new BadInput(`--${given[0]}`, 'is a rule of the desk; give --environment desk with it')
  if (options.rewardAdapter === undefined)
    throw new BadInput('--reward-adapter', 'is needed: only --environment desk judges without a reward model')
  return undefined
}
