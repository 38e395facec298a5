/** Habits of this window alone, kept where the window is shown: whether single keys act. */
import { useLocalStorage } from '@mantine/hooks'

export const useSingleKeys = () =>
  useLocalStorage({ key: 'recompense.single-keys', defaultValue: true, getInitialValueInEffect: false })
