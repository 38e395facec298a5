/** Placeholder. */
export default function DataScreen(_: Readonly<Record<string, unknown>>) {
  return null
}
