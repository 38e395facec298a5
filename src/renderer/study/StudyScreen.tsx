/** Placeholder. */
export default function StudyScreen(_: Readonly<Record<string, unknown>>) {
  return null
}
