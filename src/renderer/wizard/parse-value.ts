/** What is typed into a field, as the setting it stands for. */
import type { SettingKey } from './fields/field-texts.ts'
import type { SettingValue } from './fields/setting-keys.ts'

const number = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i

/** Settings that are words. */
export const textSettings: ReadonlySet<SettingKey> = new Set(['name', 'ablation'])

/** A number where it is one; else the text itself, for the workbench to refuse by name. */
export function parseValue(key: SettingKey, text: string): SettingValue {
  const typed = text.trim().replace('−', '-')
  if (textSettings.has(key)) return key === 'name' ? text : typed
  return number.test(typed) ? Number(typed) : typed
}

export function problemOf(key: SettingKey, value: SettingValue | undefined): string | null {
  if (key === 'name') return value === '' ? 'A name is needed' : null
  if (textSettings.has(key)) return null
  return typeof value === 'number' ? null : 'Not a number'
}
