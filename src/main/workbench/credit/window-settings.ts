/** Settings of estimators as a window gives them: by name, so that a fault is named as the window names it. No flags here. */
import { BadInput } from '../../../shared/bad-input.ts'
import {
  type GivenSettings,
  resolveSettings,
  SettingFault,
  settingNames,
} from '../../engine/credit/estimators/settings.ts'

/** Throws `BadInput` naming the setting that there is not, or whose value is out of range. */
export function knownSettings(given: Readonly<Record<string, string | number>>): GivenSettings {
  for (const name of Object.keys(given)) {
    if (!(settingNames as readonly string[]).includes(name)) throw new BadInput(name, 'is no setting of an estimator')
  }
  const settings = given as GivenSettings
  try {
    resolveSettings(settings)
  } catch (error) {
    throw error instanceof SettingFault ? error.byName : error
  }
  return settings
}
