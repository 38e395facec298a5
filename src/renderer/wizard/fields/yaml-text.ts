/** Flat settings as the YAML file that the command line takes. Reading it back is the workbench's. */
import { setting } from '../../words/index.ts'
import type { SettingKey } from './field-texts.ts'
import type { Settings, SettingValue } from './setting-keys.ts'

/** Every setting in its order. */
export function yamlText(settings: Settings, order: readonly SettingKey[]): string {
  return order
    .flatMap((key) => {
      const value = settings[key]
      return value === undefined ? [] : [`${key}: ${yamlValue(value)}`]
    })
    .join('\n')
    .concat('\n')
}

const plain = /^[A-Za-z][A-Za-z0-9 _./-]*[A-Za-z0-9]$|^[A-Za-z]$/
const words = /^(true|false|null|yes|no|on|off)$/i

function yamlValue(value: SettingValue): string {
  if (typeof value === 'string') return plain.test(value) && !words.test(value) ? value : JSON.stringify(value)
  // YAML 1.1 readers take `3e-4` for a string: a number keeps its point.
  return setting(value).replace(/^(-?\d+)e/, '$1.0e')
}
