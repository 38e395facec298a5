/** Placeholder. */
export default function DoctorScreen(_: Readonly<Record<string, unknown>>) {
  return null
}
