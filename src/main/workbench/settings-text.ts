/**
 * Settings from flat YAML text or from fields over a full set of defaults. What the schema does not know is refused with
 * the nearest key it does know: a mistyped key must not silently leave a default in force.
 */
import { isMap, isScalar, LineCounter, type Pair, parseDocument } from 'yaml'
import type { z } from 'zod'
import { BadInput } from '../../shared/bad-input.ts'
import { closest } from '../../shared/closest.ts'

type Settings<Shape extends z.ZodRawShape> = z.infer<z.ZodObject<Shape>>

export interface GivenSettings<Shape extends z.ZodRawShape> {
  readonly given: Partial<Settings<Shape>>
  /** `given` over the defaults. */
  readonly config: Settings<Shape>
  /** Keys that are allowed here but mean nothing to this stage. */
  readonly unused: readonly string[]
}

interface Entry {
  readonly key: string
  readonly value: unknown
  /** One-based; null where the settings come from fields. */
  readonly line: number | null
}

/**
 * @param source what to call the text in messages
 * @param unusedKeys keys of neighbouring stages, accepted so that one text can serve several stages
 * @throws BadInput naming the line of the first key that is unknown, repeated, of the wrong type or out of range
 */
export function settingsInText<Shape extends z.ZodRawShape>(
  text: string,
  source: string,
  schema: z.ZodObject<Shape>,
  defaults: Settings<Shape>,
  unusedKeys: readonly string[] = [],
): GivenSettings<Shape> {
  return overlaid(entriesOf(text, source), source, schema, defaults, unusedKeys)
}

/** The same for settings that are data already. */
export function settingsInFields<Shape extends z.ZodRawShape>(
  fields: Readonly<Record<string, unknown>>,
  source: string,
  schema: z.ZodObject<Shape>,
  defaults: Settings<Shape>,
): GivenSettings<Shape> {
  const entries = Object.entries(fields).map(([key, value]) => ({ key, value, line: null }))
  return overlaid(entries, source, schema, defaults, [])
}

function overlaid<Shape extends z.ZodRawShape>(
  entries: readonly Entry[],
  source: string,
  schema: z.ZodObject<Shape>,
  defaults: Settings<Shape>,
  unusedKeys: readonly string[],
): GivenSettings<Shape> {
  const known = Object.keys(schema.shape)
  const unused: string[] = []
  const given: Record<string, unknown> = {}
  for (const { key, value, line } of entries) {
    const where = line === null ? undefined : `line ${line}`
    if (!known.includes(key)) {
      if (!unusedKeys.includes(key)) throw new BadInput(source, unknownKey(key, known), where)
      unused.push(key)
      continue
    }
    const field = schema.shape[key as keyof Shape] as unknown as z.ZodType
    const parsed = field.safeParse(value)
    if (!parsed.success) {
      const message = parsed.error.issues[0]?.message.replace(/^Invalid input: /, '') ?? 'does not fit'
      throw new BadInput(source, `${key}: ${message}`, where)
    }
    given[key] = parsed.data
  }
  const whole = schema.safeParse({ ...defaults, ...given })
  if (!whole.success) throw new BadInput(source, whole.error.issues[0]?.message ?? 'does not fit')
  return { given: given as Partial<Settings<Shape>>, config: whole.data, unused }
}

function unknownKey(key: string, known: readonly string[]): string {
  const near = closest(key, known)
  return `${key}: unknown key${near === undefined ? `; known are ${known.join(', ')}` : `, did you mean ${near}?`}`
}

function entriesOf(text: string, source: string): Entry[] {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const fault = document.errors[0]
  if (fault !== undefined) {
    throw new BadInput(source, `is not YAML: ${fault.message}`, `line ${lines.linePos(fault.pos[0]).line}`)
  }
  if (document.contents === null) return []
  if (!isMap(document.contents)) throw new BadInput(source, 'must be a flat list of "key: value" lines', 'line 1')
  return document.contents.items.map((pair: Pair) => {
    const offset = isScalar(pair.key) ? (pair.key.range?.[0] ?? 0) : 0
    const value: unknown = isScalar(pair.value) ? pair.value.value : pair.value === null ? null : 'a nested value'
    return { key: isScalar(pair.key) ? String(pair.key.value) : '?', value, line: lines.linePos(offset).line }
  })
}
