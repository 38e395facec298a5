/** A run's settings against those of its preset or of a parent. */
import { embeddedPreset, minimumPreset, type StudyConfig } from '../../shared/training-config.ts'

export interface ConfigRow {
  readonly name: string
  readonly value: unknown
  /** Undefined where the other side has no such setting. */
  readonly other: unknown
  readonly differs: boolean
}

export type Against =
  | { readonly kind: 'preset'; readonly name: string; readonly stage: string }
  | { readonly kind: 'run'; readonly config: Readonly<Record<string, unknown>> }

const presets: Readonly<Record<string, StudyConfig>> = { embedded: embeddedPreset, minimum: minimumPreset }

export const isPreset = (name: string | null): name is string => name !== null && name in presets

/** Sorted by name. A preset says nothing of settings that it does not hold; another run differs in them. */
export function configRows(config: Readonly<Record<string, unknown>>, against: Against): ConfigRow[] {
  if (against.kind === 'run') {
    const names = new Set([...Object.keys(config), ...Object.keys(against.config)])
    return [...names].sort().map((name) => row(name, config[name], against.config[name], true))
  }
  const preset: Readonly<Record<string, unknown>> = { ...presets[against.name] }
  return Object.keys(config)
    .sort()
    .map((name) => row(name, config[name], preset[name] ?? preset[`${against.stage}_${name}`], false))
}

function row(name: string, value: unknown, other: unknown, absentDiffers: boolean): ConfigRow {
  const known = other !== undefined || absentDiffers
  return { name, value, other, differs: known && JSON.stringify(value) !== JSON.stringify(other) }
}
