/** What the text-only dumps have in common: a prompt, a response, a reward, and no word on tokens. */
import { BadInput } from '../../shared/bad-input.ts'
import type { ImportedRow } from './rollout-row.ts'

/** Fields of a trajectory that text alone cannot fill. */
export const absentFromText = ['token_ids', 'logprobs', 'ref_logprobs', 'values', 'rewards', 'stop_reason']

export interface TextRollout {
  readonly id: string
  readonly group: string
  readonly iteration: number | null
  readonly prompt: string
  readonly response: string
  readonly reward: number | null
  /** What else the trainer wrote, under its own name. */
  readonly recorded?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly advantage?: number
}

export function textRow(rollout: TextRollout): ImportedRow {
  const { id, group, iteration, prompt, response, reward, recorded = {}, advantage } = rollout
  const kept = Object.entries(recorded).filter(([, fields]) => Object.keys(fields).length > 0)
  return {
    id,
    group,
    ...(iteration === null ? {} : { iteration }),
    reward,
    ...(advantage === undefined ? {} : { advantage }),
    terminated: true,
    truncated: false,
    ...Object.fromEntries(kept),
    turns: [
      { role: 'user', text: prompt },
      { role: 'assistant', text: response },
    ],
  }
}

type Line = Readonly<Record<string, unknown>>

/** A text out of a JSON line. Throws `BadInput` where it is missing or no text. */
export function textOf(file: string, line: number, value: Line, name: string): string {
  const text = value[name]
  if (typeof text === 'string') return text
  throw new BadInput(file, `${name} is ${text === undefined ? 'missing' : 'not a text'}`, `line ${line}`)
}

/** A number, or null where the dump has null or nothing: a grader that abstained. */
export function gradeOf(file: string, line: number, value: Line, name: string): number | null {
  const grade = value[name] ?? null
  if (grade === null || (typeof grade === 'number' && Number.isFinite(grade))) return grade
  throw new BadInput(file, `${name} is not a number`, `line ${line}`)
}

/** A whole number from 0 on, or null where it is not given. */
export function stepOf(file: string, line: number, value: Line, name: string): number | null {
  const step = value[name] ?? null
  if (step === null || (Number.isSafeInteger(step) && (step as number) >= 0)) return step as number | null
  throw new BadInput(file, `${name} is not a whole number from 0 on`, `line ${line}`)
}

/** All fields but those named. */
export function otherFields(value: Line, known: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !known.includes(name)))
}
