/**
 * The frame around a command: parse, run, then print exactly one result. Commands state what they are as data, so
 * `help`, usage errors and output follow the same rules everywhere.
 */
import { type Argument, Command, Option } from 'commander'
import type { CommandContext } from './context.ts'
import type { Outcome } from './outcome.ts'

export type OptionValues = Readonly<Record<string, unknown>>

export interface CommandSpec<Options> {
  readonly name: string
  readonly summary: string
  readonly arguments?: readonly Argument[]
  readonly options: readonly Option[]
  /** One line that runs as shown in a checkout. */
  readonly example: string
  /** Units, rules of the input, what the result means. */
  readonly details?: string
  readonly run: (context: CommandContext, options: Options, args: readonly string[]) => Promise<Outcome>
}

export type Finish = (outcome: Outcome) => void
export type MakeContext = (global: OptionValues) => CommandContext

/** Flags of the whole program; accepted before and after the command's name. */
export function globalOptions(): Option[] {
  return [
    new Option('--json', 'print exactly one JSON document on stdout'),
    new Option(
      '--home <dir>',
      "data folder: run store and artifacts (default: RECOMPENSE_HOME, else the system's application-data folder)",
    ),
  ]
}

export function define<Options>(spec: CommandSpec<Options>) {
  return (makeContext: MakeContext, finish: Finish): Command => {
    const command = newCommand(spec.name).summary(spec.summary).description(spec.summary)
    for (const argument of spec.arguments ?? []) command.addArgument(argument)
    for (const option of spec.options) command.addOption(option)
    if (spec.details !== undefined) command.addHelpText('after', `\n${spec.details}`)
    command.addHelpText('after', `\nExample:\n  npm run --silent recompense -- ${spec.example}`)
    command.action(async (...parsed: unknown[]) => {
      const context = makeContext(command.optsWithGlobals())
      const args = (spec.arguments ?? []).map((_argument, at) => String(parsed[at]))
      finish(await spec.run(context, command.opts() as Options, args))
    })
    return command
  }
}

export type CommandDefinition = ReturnType<typeof define>

/** Never exits by itself, never writes to stderr: errors are the caller's single line. */
export function newCommand(name: string): Command {
  return new Command(name)
    .exitOverride()
    .allowExcessArguments(false)
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .showSuggestionAfterError(true)
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .configureOutput({ writeErr: () => {}, outputError: () => {} })
}

/** A folder of commands, such as `study`. */
export function group(name: string, summary: string, members: readonly Command[]): Command {
  const command = newCommand(name).summary(summary).description(summary)
  for (const member of members) command.addCommand(member)
  command.argument('[command]').action((given: string | undefined) => {
    const names = members.map((member) => member.name()).join(', ')
    if (given === undefined) command.error(`error: ${name}: needs one of ${names}`)
    command.error(`error: ${name} ${given}: unknown command; one of ${names}`)
  })
  command.usage('<command> [options]')
  return command
}
