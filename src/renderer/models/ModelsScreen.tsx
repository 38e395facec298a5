/** Placeholder. */
export default function ModelsScreen(_: Readonly<Record<string, unknown>>) {
  return null
}
