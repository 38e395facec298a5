/** The learning-rate schedule: linear warm-up to the peak, then linear decay to a share of it. */

export interface ScheduleShape {
  /** Share of all steps that warms up; at least one step always does. */
  readonly warmupRatio: number
  /** The last step's rate as a share of the peak. */
  readonly minimumLrRatio: number
}

/**
 * Rate of optimizer step `step` (0-based) of `total`. The last warm-up step and the first step after it both have
 * the peak; with one step after the warm-up the rate stays at the peak. Throws RangeError outside the schedule.
 */
export function learningRate(step: number, total: number, peak: number, shape: ScheduleShape): number {
  if (!Number.isInteger(step) || !Number.isInteger(total) || step < 0 || step >= total) {
    throw new RangeError(`step ${step} is outside a schedule of ${total} steps`)
  }
  const warm = Math.max(1, Math.floor(total * shape.warmupRatio))
  if (step < warm) return (peak * (step + 1)) / warm
  const decayed = Math.min(1, (step - warm) / Math.max(1, total - warm - 1))
  return peak * (1 - decayed * (1 - shape.minimumLrRatio))
}
