/** What a thrown error means to the shell: its exit status and its single line on stderr. */
import { CommanderError } from 'commander'
import { BadInput } from '../../shared/bad-input.ts'

/** The user asked to stop; state is kept. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'

  constructor(message = 'interrupted') {
    super(message)
  }
}

export interface Failure {
  readonly exitCode: 0 | 1 | 2 | 130
  /** Begins with `error:`; absent where nothing is to be said (help was shown). */
  readonly line?: string
}

export function failureOf(error: unknown): Failure {
  if (error instanceof CommanderError) return usageFailure(error)
  if (error instanceof BadInput) return { exitCode: 2, line: errorLine(error.message) }
  if (error instanceof Interrupted) return { exitCode: 130, line: errorLine(error.message) }
  return { exitCode: 1, line: errorLine(error instanceof Error ? error.message || error.name : String(error)) }
}

function errorLine(message: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
  return `error: ${message.replace(/[\u0000-\u001f\u007f\u0085\u2028\u2029]+/g, ' ').trim()}`
}

/** Commander speaks in several shapes; all become `error: <flag or command>: <what is wrong>`. */
function usageFailure(error: CommanderError): Failure {
  if (error.exitCode === 0) return { exitCode: 0 }
  const message = error.message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ')
  return { exitCode: 2, line: errorLine(rewordUsage(message).replace('(Did you', '(did you')) }
}

const rewordings: readonly (readonly [RegExp, string])[] = [
  [/^unknown option '([^']+)'\s*(.*)$/, '$1: unknown flag $2'],
  [/^unknown command '([^']+)'\s*(.*)$/, '$1: unknown command $2'],
  [/^option '(?:-\w, )?(--[\w-]+)[^']*' argument missing$/, '$1: needs a value'],
  [/^option '(?:-\w, )?(--[\w-]+)[^']*' argument '(.*)' is invalid\. (.*)$/, '$1: $2 is not allowed; $3'],
  [/^required option '(?:-\w, )?(--[\w-]+)[^']*' not specified$/, '$1: is required'],
  [/^missing required argument '([^']+)'$/, '$1: is required'],
  [/^command-argument value '(.*)' is invalid for argument '([^']+)'\. (.*)$/, '$2: $1 is not allowed; $3'],
  [
    /^option '(?:-\w, )?(--[\w-]+)[^']*' cannot be used with option '(?:-\w, )?(--[\w-]+)[^']*'$/,
    '$1: cannot be used with $2',
  ],
  [/^too many arguments for '([^']+)'\. (.*)$/, '$1: too many arguments; $2'],
]

function rewordUsage(message: string): string {
  const [pattern, wording] = rewordings.find(([candidate]) => candidate.test(message)) ?? []
  const reworded = pattern === undefined || wording === undefined ? message : message.replace(pattern, wording)
  return reworded.replace(/^(\S+): {2}is not allowed;/, '$1: an empty value is not allowed;')
}
