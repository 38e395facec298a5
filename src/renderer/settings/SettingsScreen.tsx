/** Placeholder. */
export default function SettingsScreen(_: Readonly<Record<string, unknown>>) {
  return null
}
