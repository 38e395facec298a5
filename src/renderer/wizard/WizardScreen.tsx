/** Placeholder. */
export default function WizardScreen(_: Readonly<Record<string, unknown>>) {
  return null
}
