/** Settings from a flat YAML file over a full set of defaults. */
import type { z } from 'zod'
import { readTextFile } from '../engine/checkpoint/input-file.ts'
import { settingsInText } from '../workbench/settings-text.ts'

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
  return settingsInText(readTextFile(file, sizeLimit), file, schema, defaults, unusedKeys)
}
