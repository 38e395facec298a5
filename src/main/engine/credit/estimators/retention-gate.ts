/** From attention to the gate of Comp-GAE: how much of what comes later a token passes back. Reads no model. */
import { mean } from '../../study/statistics.ts'

/**
 * Concentration of one attention row: `1 − H(row) / ln n`, 1 where all weight is on one position, 0 where it is spread
 * evenly; a row of one position gives 1. Rows sum to one.
 */
export function rowConcentration(row: ArrayLike<number>): number {
  if (row.length === 0) throw new RangeError('an attention row without positions has no concentration')
  if (row.length === 1) return 1
  let entropy = 0
  for (let j = 0; j < row.length; j++) if (row[j]! > 0) entropy -= row[j]! * Math.log(row[j]!)
  return 1 - entropy / Math.log(row.length)
}

/** Mean over heads, then over layers. @param rows [layer][head][position the query attends to] */
export function queryConcentration(rows: readonly (readonly ArrayLike<number>[])[]): number {
  return mean(rows.map((heads) => mean(heads.map(rowConcentration))))
}

/** `g = min + (max − min)·clip(c, 0, 1)`. Token t takes the gate of query position t − 1, which predicts it. */
export function retentionGate(concentration: number, least: number, most: number): number {
  return least + (most - least) * Math.min(1, Math.max(0, concentration))
}
