/** Flags that several commands share, with their parsing, units and defaults. */
import { InvalidArgumentError, Option } from 'commander'
import { BadInput } from '../../shared/bad-input.ts'
import type { DeviceName } from '../../shared/stage.ts'
import { defaultThreads } from '../workbench/processor-cores.ts'

export const deviceNames: readonly DeviceName[] = ['auto', 'cpu', 'webgpu', 'cuda', 'dml', 'coreml']

export interface ComputeOptions {
  readonly device: DeviceName
  readonly threads: number
}

export function computeFlags(): Option[] {
  return [
    new Option('--device <name>', 'where tensors are computed; auto says which device it took and why')
      .choices(deviceNames)
      .default('auto'),
    threadsFlag(),
  ]
}

export function threadsFlag(): Option {
  return new Option('--threads <n>', 'threads of the CPU device; results are reproducible per number of threads')
    .argParser(positiveInteger)
    .default(defaultThreads(), 'one a physical core')
}

export function seedFlag(defaultSeed: number, what: string): Option {
  return new Option('--seed <n>', `seed of ${what}`).argParser(wholeNumber).default(defaultSeed)
}

export function modelFlag(required = true): Option {
  const option = new Option('--model <dir>', 'base checkpoint: Hugging Face folder, Qwen2 architecture')
  return required ? option.makeOptionMandatory() : option
}

export function adapterFlag(required = false): Option {
  const option = new Option('--adapter <dir>', 'PEFT adapter folder')
  return required ? option.makeOptionMandatory() : option
}

export function inputFlag(rows: string): Option {
  return new Option('--input <file>', `JSONL rows: ${rows}`).makeOptionMandatory()
}

export interface LimitOptions {
  readonly maxPromptTokens: number
  readonly maxCompletionTokens: number
  readonly maxContextTokens: number
}

export function limitFlags(): Option[] {
  const limit = (flag: string, what: string, tokens: number) =>
    new Option(`${flag} <n>`, `refuse rows whose ${what} has more tokens`).argParser(positiveInteger).default(tokens)
  return [
    limit('--max-prompt-tokens', 'prompt', 256),
    limit('--max-completion-tokens', 'completion', 64),
    limit('--max-context-tokens', 'prompt and completion together', 320),
  ]
}

export function positiveInteger(text: string): number {
  const value = wholeNumber(text)
  if (value < 1) throw new InvalidArgumentError('Must be 1 or more.')
  return value
}

export function notNegativeInteger(text: string): number {
  const value = wholeNumber(text)
  if (value < 0) throw new InvalidArgumentError('Must be 0 or more.')
  return value
}

export function wholeNumber(text: string): number {
  const value = Number(text)
  if (!/^[+-]?\d+$/.test(text) || !Number.isSafeInteger(value))
    throw new InvalidArgumentError('Must be a whole number.')
  return value
}

export function finiteNumber(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('Must be a number.')
  return value
}

export function positiveNumber(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value) || value <= 0) {
    throw new InvalidArgumentError('Must be a number above 0.')
  }
  return value
}

/** Comma-separated names out of a closed list. */
export function namesOutOf(flag: string, known: readonly string[], text: string): string[] {
  const names = text.split(',').map((name) => name.trim())
  for (const name of names) {
    if (!known.includes(name)) throw new BadInput(flag, `${name || 'an empty name'} is not one of ${known.join(', ')}`)
  }
  return [...new Set(names)]
}
