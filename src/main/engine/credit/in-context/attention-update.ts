/**
 * What a set S of columns adds to the output of attention, and a bound on it, one query and one head at a time. Plain
 * numbers; knows no model.
 *
 * With weights w over the columns, α = Σ_{j∈S} w_j, the inputs of the layer held fixed:
 *
 *     o = Σ_j w_j v_j = (1 − α) o′ + α e        e = Σ_{j∈S} w_j v_j / α        o′ = Σ_{j∉S} w_j v_j / (1 − α)
 *
 * o′ is the output where S is masked, since a softmax over fewer columns is the same weights divided by their sum. Hence
 * o − o′ = α (e − o′), and as e is a mean of the v_j of S, ‖o − o′‖ = α ‖e − o′‖ ≤ α · max_{j∈S} ‖v_j − o′‖.
 */

/** Columns from `start` to before `end`. */
interface Columns {
  readonly start: number
  readonly end: number
}

export interface HeadUpdate {
  /** α, in [0, 1]. */
  readonly mass: number
  /** ‖o‖. */
  readonly output: number
  /** ‖o − o′‖ and its bound; null where nothing but S has any weight, and o′ is of nothing. */
  readonly update: { readonly norm: number; readonly bound: number } | null
}

/** Of columns, in units of the whole weight. */
export function massOn(weights: ArrayLike<number>, { start, end }: Columns): number {
  let [inside, total] = [0, 0]
  for (let j = 0; j < weights.length; j++) {
    total += weights[j]!
    if (j >= start && j < end) inside += weights[j]!
  }
  return inside / total
}

/**
 * @param weights one a column, 0 or more, not all 0; their sum is taken for 1
 * @param values  row-major [columns, width]
 */
export function headUpdate(weights: ArrayLike<number>, values: ArrayLike<number>, examples: Columns): HeadUpdate {
  const width = values.length / weights.length
  const value = (j: number) => Float64Array.from({ length: width }, (_, d) => values[j * width + d]!)
  const inside = (j: number) => j >= examples.start && j < examples.end
  const meanOver = (wanted: (j: number) => boolean) => {
    let total = 0
    const output = new Float64Array(width)
    for (let j = 0; j < weights.length; j++) {
      if (!wanted(j)) continue
      total += weights[j]!
      for (let d = 0; d < width; d++) output[d]! += weights[j]! * values[j * width + d]!
    }
    return { total, output: output.map((sum) => sum / total) }
  }
  const whole = meanOver(() => true)
  const rest = meanOver((j) => !inside(j))
  const mass = massOn(weights, examples)
  const output = norm(whole.output)
  if (rest.total === 0) return { mass, output, update: null }
  let farthest = 0
  for (let j = examples.start; j < examples.end; j++) farthest = Math.max(farthest, distance(value(j), rest.output))
  return { mass, output, update: { norm: distance(whole.output, rest.output), bound: mass * farthest } }
}

function norm(vector: Float64Array): number {
  return Math.hypot(...vector)
}

function distance(a: Float64Array, b: Float64Array): number {
  return norm(a.map((value, d) => value - b[d]!))
}
