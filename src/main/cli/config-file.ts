/**
 * Settings from a flat YAML file over a full set of defaults. What the schema does not know is refused with the
 * nearest key it does know: a mistyped key must not silently leave a default in force.
 */
import { isMap, isScalar, LineCounter, type Pair, parseDocument } from 'yaml'
import type { z } from 'zod'
import { BadInput } from '../../shared/bad-input.ts'
import { readTextFile } from '../engine/checkpoint/input-file.ts'
import { closest } from './closest.ts'

const sizeLimit = 1024 * 1024

export interface ConfigFile<T> {
  readonly config: T
  /** Keys that are allowed here but mean nothing to this stage. */
  readonly unused: readonly string[]
}

/**
 * `defaults` overlaid with the keys of `file`.
 * @param unusedKeys keys of neighbouring stages, accepted so that one file can serve several stages
 * @throws BadInput naming the line of the first key that is unknown, repeated, of the wrong type or out of range
 */
export function readConfigFile<Shape extends z.ZodRawShape>(
  file: string,
  schema: z.ZodObject<Shape>,
  defaults: z.infer<z.ZodObject<Shape>>,
  unusedKeys: readonly string[] = [],
): ConfigFile<z.infer<z.ZodObject<Shape>>> {
  const known = Object.keys(schema.shape)
  const unused: string[] = []
  const given: Record<string, unknown> = {}
  for (const { key, value, line } of entriesOf(file)) {
    if (!known.includes(key)) {
      if (!unusedKeys.includes(key)) throw new BadInput(file, unknownKey(key, known), `line ${line}`)
      unused.push(key)
      continue
    }
    const field = schema.shape[key as keyof Shape] as unknown as z.ZodType
    const parsed = field.safeParse(value)
    if (!parsed.success) {
      const message = parsed.error.issues[0]?.message.replace(/^Invalid input: /, '') ?? 'does not fit'
      throw new BadInput(file, `${key}: ${message}`, `line ${line}`)
    }
    given[key] = parsed.data
  }
  return { config: schema.parse({ ...defaults, ...given }), unused }
}

function unknownKey(key: string, known: readonly string[]): string {
  const near = closest(key, known)
  return `${key}: unknown key${near === undefined ? `; known are ${known.join(', ')}` : `, did you mean ${near}?`}`
}

interface Entry {
  readonly key: string
  readonly value: unknown
  readonly line: number
}

function entriesOf(file: string): Entry[] {
  const lines = new LineCounter()
  const document = parseDocument(readTextFile(file, sizeLimit), { lineCounter: lines, prettyErrors: false })
  const fault = document.errors[0]
  if (fault !== undefined) {
    throw new BadInput(file, `is not YAML: ${fault.message}`, `line ${lines.linePos(fault.pos[0]).line}`)
  }
  if (document.contents === null) return []
  if (!isMap(document.contents)) throw new BadInput(file, 'must be a flat list of "key: value" lines', 'line 1')
  return document.contents.items.map((pair: Pair) => {
    const offset = isScalar(pair.key) ? (pair.key.range?.[0] ?? 0) : 0
    const value: unknown = isScalar(pair.value) ? pair.value.value : pair.value === null ? null : 'a nested value'
    return { key: isScalar(pair.key) ? String(pair.key.value) : '?', value, line: lines.linePos(offset).line }
  })
}
