/** Which methods are compared and how they are set: kept while the window is open. */
import { useSessionStorage } from '@mantine/hooks'
import type { SettingChanges } from './MethodSettings.tsx'

/** Empty: none was chosen yet. */
export const useKeptMethods = () =>
  useSessionStorage<readonly string[]>({
    key: 'recompense.credit.methods',
    defaultValue: [],
    getInitialValueInEffect: false,
  })

export const useKeptSettings = () =>
  useSessionStorage<SettingChanges>({
    key: 'recompense.credit.settings',
    defaultValue: {},
    getInitialValueInEffect: false,
  })
