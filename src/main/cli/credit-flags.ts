/** Flags of the credit estimators, made from the one table of their settings. */
import { Option } from 'commander'
import { methodNames } from '../engine/credit/estimators/method-names.ts'
import {
  flagOf,
  type GivenSettings,
  type SettingName,
  settingFacts,
  settingNames,
} from '../engine/credit/estimators/settings.ts'
import type { CommandContext } from './context.ts'
import { finiteNumber, inputFlag } from './flags.ts'

export function trajectoryInputFlag(): Option {
  return inputFlag('trajectories (docs/credit.md, "The trajectory file")')
}

/** None has a default of its own: what is not given is the method's to choose. */
export function settingFlags(): Option[] {
  return settingNames.map((name) => {
    const { meaning, unit, byDefault, choices } = settingFacts[name]
    const told = choices === undefined ? `${unit}; ` : ''
    const option = new Option(`${flagOf(name)} <${choices === undefined ? 'x' : 'name'}>`, '')
    option.description = `${meaning} (${told}default: ${byDefault})`
    return choices === undefined ? option.argParser(finiteNumber) : option.choices(choices)
  })
}

type ParsedSettings = Readonly<Record<string, unknown>>

/** Of what commander parsed, the settings that were given. */
export function givenSettings(options: ParsedSettings): GivenSettings {
  const entries = settingNames.map((name) => [name, options[camelCase(name)]] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

function camelCase(name: SettingName): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** Says on stderr which of the given flags no method reads. */
export function noteUnread(
  context: CommandContext,
  given: GivenSettings,
  methods: readonly { readonly name: string; readonly settings: readonly SettingName[] }[],
): void {
  for (const name of Object.keys(given) as SettingName[]) {
    if (methods.some(({ settings }) => settings.includes(name))) continue
    context.note(`${flagOf(name)} is not read by ${methods.map((method) => method.name).join(', ')}`)
  }
}

/** For help texts. */
export const methodList = wrapped(methodNames.join(', '), 112)

function wrapped(text: string, cells: number): string {
  return text.replace(new RegExp(`(.{1,${cells}})(?: |$)`, 'g'), '$1\n').trimEnd()
}
