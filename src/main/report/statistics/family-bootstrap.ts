/**
 * Intervals over rows that come in families: whole families are drawn, because rows of one family share their
 * situation and are not independent. The unit is a family's mean, so that families weigh alike.
 */
import { bootstrapMeanInterval, mean } from '../../engine/study/statistics.ts'

/** The same families give the same interval in every report. */
const seed = 49

/** @returns the 95 % percentile interval; null where there are fewer than two families or a value is not finite */
export function familyBootstrap(
  rows: readonly { readonly family: string; readonly value: number }[],
): readonly [number, number] | null {
  if (rows.some((row) => !Number.isFinite(row.value))) return null
  const families = new Map<string, number[]>()
  for (const row of rows) families.set(row.family, [...(families.get(row.family) ?? []), row.value])
  if (families.size < 2) return null
  const units = [...families.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, members]) => mean(members))
  return bootstrapMeanInterval(units, { seed })
}
